import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { parseJson, writeJson } from './exact_json';

const JsonEditor = lazy(() => import('./JsonEditor'));

export interface JsonProps {
  label: string;
  value: string;
  /** Absent: the text is only shown. */
  onChange?: (value: string) => void;
}

/** A JSON text with colours. The editor is loaded when the first one is shown. */
export function JsonField(props: JsonProps) {
  return (
    <Suspense fallback={<Skeleton height={80} />}>
      <JsonEditor {...props} />
    </Suspense>
  );
}

export function jsonText(value: unknown): string {
  return value === undefined ? '' : writeJson(value, 2);
}

export function readJson(text: string): { value: unknown } | { reason: string } {
  try {
    return { value: parseJson(text) };
  } catch (reason) {
    return { reason: reason instanceof Error ? reason.message : String(reason) };
  }
}

/** Where a text stops being JSON, from the message of the browser's parser, counted from 1; undefined if the message has no place. */
export function placeOf(reason: string, text: string): { line: number; column: number } | undefined {
  const at = /position (\d+)/.exec(reason)?.[1];
  if (at === undefined) return undefined;
  const lines = text.slice(0, Number(at)).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

/** Says in the language of the page what is wrong with a text that is not JSON. */
export function useJsonFault(): (reason: string, text: string) => string {
  const { t, i18n } = useTranslation();
  return (reason, text) => {
    if (text.trim() === '') return t('json_empty');
    const place = placeOf(reason, text);
    // The browser's message is in English.
    return place && !i18n.language.startsWith('en') ? t('json_invalid_at', { ...place }) : t('json_invalid', { reason });
  };
}
