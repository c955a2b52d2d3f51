import { useTranslation } from 'react-i18next';
import { exact } from '@/shared/time';
import { useDuration } from '@/shared/Times';

interface Limited {
  kind: string;
  start_at?: string | null;
  end_at?: string | null;
  max_firings?: number | null;
  jitter_ms?: number | null;
  zone?: string | null;
  calendars?: { name: string; mode?: 'exclude' | 'allow' }[] | null;
}

/** What keeps a schedule from some of its times: its validity, calendars, most firings and jitter, in the page's language. */
export function useScheduleLimits() {
  const { t, i18n } = useTranslation(['taskForm', 'shared']);
  const say = useDuration();
  return ({ start_at: start, end_at: end, max_firings: most, jitter_ms: jitter, zone, calendars }: Limited): string => {
    const at = (when: string) => exact(when, zone ?? undefined, i18n.language);
    const named = (mode: 'allow' | 'exclude') => (calendars ?? []).filter((one) => (one.mode ?? 'exclude') === mode).map(({ name }) => name).join(t('shared:comma'));
    const [only, not] = [named('allow'), named('exclude')];
    return [
      start ? t('limit_words.from', { at: at(start) }) : '',
      end ? t('limit_words.before', { at: at(end) }) : '',
      only ? t('limit_words.only_in', { names: only }) : '',
      not ? t('limit_words.not_in', { names: not }) : '',
      most ? t('limit_words.most', { count: most }) : '',
      jitter ? t('limit_words.jitter', { span: say(jitter) }) : '',
    ].filter((part) => part !== '').join(t('shared:comma'));
  };
}
