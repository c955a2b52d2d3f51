import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';

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
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

export function readJson(text: string): { value: unknown } | { reason: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (reason) {
    return { reason: reason instanceof Error ? reason.message : String(reason) };
  }
}
