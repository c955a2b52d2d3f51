import { useTranslation } from 'react-i18next';
import type { Task } from '@/api/types';
import { useDuration } from '@/shared/Times';
import { viewerZone } from '@/shared/viewer_zone';
import { cronSentence } from './cron_sentence';
import { useScheduleLimits } from './schedule_limits';
import { scheduleDraftOf, type ScheduleDraft } from './schedule_draft';
import { scheduleWords } from './schedule_words';
import { businessDays, same, weekdays, weekend, type Weekday } from './weekdays';

/** A schedule in the page's language: a sentence, and the days of the week to which it is limited. */
export function useScheduleSentence() {
  const { t } = useTranslation(['taskForm', 'shared']);
  const say = useDuration();

  function daysText(days: Weekday[]): string {
    if (same(days, weekdays) || days.length === 0) return t('day_set.every_day');
    if (same(days, businessDays)) return t('day_set.business_days');
    return same(days, weekend) ? t('day_set.weekend') : days.map((one) => t(`day.${one}`)).join(t('shared:comma'));
  }
  function onText(on: string): string {
    if (/^\d+$/.test(on)) return t('on.day', { day: on });
    const [place = '', weekday = ''] = on.split(' ');
    if (weekday) return t('on.nth', { place: t(`on.${place as 'first'}`), day: t(`on.${weekday as 'monday'}`) });
    return t(`on.${(on || 'same') as 'same'}`);
  }
  /** The description of the server is needed for an expression; without words for it the expression stands for itself. */
  return (draft: ScheduleDraft, description = ''): { sentence: string; days: string } => {
    if (draft.mode === 'cron') {
      const when = cronSentence(description, draft.zone, { say: (key, values) => t(`cron_words.${key}`, values ?? {}), day: (day) => t(`day.${day}`) });
      if (when !== undefined) return { sentence: t('words.cron_said', { when, zone: draft.zone }), days: '' };
    }
    const words = scheduleWords(draft, say);
    const values: Record<string, string | number> = { ...(words.values as Record<string, string | number>), on: onText(draft.on), days: daysText(draft.days) };
    const some = draft.days.length > 0 && draft.days.length < 7 && (draft.mode === 'window' || (draft.mode === 'every_days' && draft.dayUnit === 'weeks'));
    return { sentence: t(`words.${words.key}`, values), days: some ? t('words.on_days', { days: daysText(draft.days) }) : '' };
  };
}

/** The schedule of a task in words: those of the server in English, those of the page in other languages. */
export function useScheduleText() {
  const { t, i18n } = useTranslation('taskForm');
  const say = useScheduleSentence();
  const limits = useScheduleLimits();
  return ({ schedule, schedule_text: text = '' }: Pick<Task, 'schedule' | 'schedule_text'>): string => {
    if (i18n.language.startsWith('en')) return text;
    const { sentence, days } = say(scheduleDraftOf(schedule, viewerZone()), text);
    return [days, limits(schedule)].reduce((all, part) => (part ? t('words.joined', { sentence: all, days: part }) : all), sentence);
  };
}
