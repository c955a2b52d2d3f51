import { Text } from '@mantine/core';
import { createContext, useContext, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNow } from './clock';
import { useHint } from './hint';
import { usePreferences } from './preferences';
import { durationText, exact, relative } from './time';

/** The zone of the task that a part of the page is about: for the times in it that have no task of their own. */
export const TaskZone = createContext<string | undefined>(undefined);

/** The zone to show times in. Undefined is the viewer's own. */
export function useZone(taskZone?: string): string | undefined {
  const { zone } = usePreferences();
  const around = useContext(TaskZone);
  if (zone === 'utc') return 'UTC';
  return zone === 'task' ? (taskZone ?? around) : undefined;
}

interface TimeProps {
  at: string | null | undefined;
  /** The task's zone, for viewers who chose it; without it, that of `TaskZone`. */
  zone?: string;
}

export function ExactTime({ at, zone, weekday = false }: TimeProps & { weekday?: boolean }) {
  const { t, i18n } = useTranslation();
  const shown = useZone(zone);
  if (!at) return <Text span c="dimmed" size="sm">{t('unknown_time')}</Text>;
  return <time dateTime={at}>{exact(at, shown, i18n.language, weekday)}</time>;
}

interface Shown {
  at: string;
  zone: string | undefined;
  language: string;
}

function HintedTime({ at, zone, language }: Shown) {
  const now = useNow();
  const { props, bubble } = useHint(() => exact(at, zone, language));
  return (
    <>
      <time dateTime={at} tabIndex={0} style={{ whiteSpace: 'nowrap' }} {...props}>{relative(Date.parse(at), now, language)}</time>
      {bubble}
    </>
  );
}

// The first exact time of a page costs much, as a formatter is made for it. So it waits for the pointer.
function PlainTime({ at, zone, language }: Shown) {
  const now = useNow();
  const [near, come] = useState(false);
  return <time dateTime={at} title={near ? exact(at, zone, language) : undefined} onMouseEnter={() => come(true)}>{relative(Date.parse(at), now, language)}</time>;
}

/** How long ago or ahead, with the exact time on hover and focus. `plain` stands inside a link, and has no focus of its own. */
export function RelativeTime({ at, zone, plain }: TimeProps & { plain?: boolean }) {
  const { t, i18n } = useTranslation();
  const shown = useZone(zone);
  if (!at) return <Text span c="dimmed" size="sm">{t('unknown_time')}</Text>;
  const Time = plain ? PlainTime : HintedTime;
  return <Time at={at} zone={shown} language={i18n.language} />;
}

export function useDuration(): (ms: number) => string {
  const { t } = useTranslation();
  return (ms) => {
    const text = durationText(ms);
    return t(`duration.${text.key}`, { n: text.n, m: 'm' in text ? text.m : '' });
  };
}

export function Duration({ ms }: { ms: number | null | undefined }) {
  const say = useDuration();
  if (ms === null || ms === undefined) return <Text span c="dimmed">–</Text>;
  return <span>{say(ms)}</span>;
}
