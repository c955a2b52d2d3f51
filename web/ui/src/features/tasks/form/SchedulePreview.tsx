import { Alert, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { useDuration } from '@/shared/Times';
import { useSchedulePreview, type PreviewRequest } from '../queries';
import { PreviewedFirings } from './PreviewedFirings';
import type { ScheduleProps } from './ScheduleBuilder';
import { isComplete, needsName, scheduleOf, type ScheduleDraft } from './schedule_draft';
import { scheduleWords } from './schedule_words';

/** In the page's own words, for the kinds other than an expression, which the server describes. */
function Words({ draft }: { draft: ScheduleDraft }) {
  const { t } = useTranslation('taskForm');
  const say = useDuration();
  const words = scheduleWords(draft, say);
  if (!words) return null;
  const day = /^\d+$/.test(draft.on) ? t('on.day', { day: draft.on }) : '';
  const [place = '', weekday = ''] = draft.on.split(' ');
  const named = weekday ? t('on.nth', { place: t(`on.${place as 'first'}`), day: t(`on.${weekday as 'monday'}`) }) : t(`on.${(draft.on || 'same') as 'same'}`);
  const values = Object.fromEntries(Object.entries({ ...words.values, on: day || named })) as Record<string, string | number>;
  const lists = draft.days.length > 0 && draft.days.length < 7 && (draft.mode === 'window' || (draft.mode === 'every_days' && draft.dayUnit === 'weeks'));
  const days = draft.days.map((one) => t(`day.${one}`)).join(', ');
  return (
    <>
      <Text fw={600}>{t(`words.${words.key}`, values)}</Text>
      {lists && <Text size="sm">{t('words.on_days', { days })}</Text>}
    </>
  );
}

/** What comes of the fields: the schedule in words, its next firings in its zone, and what clocks and calendars do to them. */
export function SchedulePreview({ draft, project, name, task }: ScheduleProps) {
  const { t } = useTranslation('taskForm');
  const schedule = scheduleOf(draft);
  const complete = isComplete(draft);
  const [asked] = useDebouncedValue(JSON.stringify({ schedule, project, name: needsName(draft) ? name : '', task } satisfies PreviewRequest), 400);
  const { data, error, isFetching } = useSchedulePreview(asked, complete);
  const described = schedule.kind === 'cron';
  const shown = complete && !error ? data : undefined;
  return (
    <Paper
      withBorder radius="md" p="md" bg="var(--mantine-color-default-hover)" style={{ alignSelf: 'start' }} aria-live="polite" aria-busy={complete && isFetching}
      component="section" aria-label={t('preview.title')}
    >
      <Stack gap="sm">
        {!described && <Words draft={draft} />}
        {complete && error && <Alert color="red" p="xs">{error.message}</Alert>}
        {complete && !shown && !error && <Skeleton height={120} />}
        {shown && (
          <>
            {described && <Text fw={600}>{shown.description}</Text>}
            <PreviewedFirings preview={shown} zone={draft.zone} />
            {shown.notes.map((note) => <Alert key={note.at + note.kind} color="orange" p="xs"><Text size="sm">{note.text}</Text></Alert>)}
          </>
        )}
      </Stack>
    </Paper>
  );
}
