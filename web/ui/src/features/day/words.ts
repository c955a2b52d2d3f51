import { useTranslation } from 'react-i18next';
import { between, exact } from '@/shared/time';
import { useDuration, useZone } from '@/shared/Times';
import type { Bar } from './bars';

/** When a bar began and ended, and how long it took. */
export function useTimesOf(): (bar: Bar) => string {
  const { t, i18n } = useTranslation('day');
  const zone = useZone();
  const say = useDuration();
  return ({ startedAt, endedAt }) => {
    const begin = exact(startedAt, zone, i18n.language);
    const took = between(startedAt, endedAt);
    if (endedAt === null || took === null) return begin;
    return t('times', { begin, end: exact(endedAt, zone, i18n.language), took: say(Math.max(0, took)) });
  };
}

/** The name of a bar's task, and that it ran again. */
export function useNameOf(): (bar: Bar) => string {
  const { t } = useTranslation('day');
  return ({ name, again }) => (again ? t('again', { name }) : name);
}
