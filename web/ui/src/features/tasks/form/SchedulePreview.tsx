import { Alert, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { useProblemWords } from '@/shared/problems';
import { useFiringCount } from '../firings_shown';
import { useSchedulePreview, type PreviewRequest } from '../queries';
import { PreviewedFirings } from './PreviewedFirings';
import type { ScheduleProps } from './ScheduleBuilder';
import { isComplete, needsName, scheduleOf, type ScheduleDraft } from './schedule_draft';
import { useScheduleLimits } from './schedule_limits';
import { useScheduleSentence } from './schedule_sentence';

/** In the page's own words. */
function Words({ draft, description }: { draft: ScheduleDraft; description: string | undefined }) {
  const { sentence, days } = useScheduleSentence()(draft, description);
  const limits = useScheduleLimits()(scheduleOf(draft));
  return (
    <>
      <Text fw={600}>{sentence}</Text>
      {days && <Text size="sm">{days}</Text>}
      {limits && <Text size="sm">{limits}</Text>}
    </>
  );
}

/** What comes of the fields: the schedule in words, its next firings in its zone, and what clocks and calendars do to them. */
export function SchedulePreview({ draft, project, name, service, task }: ScheduleProps) {
  const { t, i18n } = useTranslation('taskForm');
  const words = useProblemWords();
  const schedule = scheduleOf(draft);
  const complete = isComplete(draft);
  const { count, more } = useFiringCount();
  const [asked] = useDebouncedValue(JSON.stringify({ schedule, project, name: needsName(draft) ? name : '', service: draft.zoneBy === 'default' ? service : '', task, count } satisfies PreviewRequest), 400);
  const { data, error, isFetching } = useSchedulePreview(asked, complete);
  // An expression is described by the server, in English.
  const described = schedule.kind === 'cron' && i18n.language.startsWith('en');
  const shown = complete && !error ? data : undefined;
  return (
    <Paper
      withBorder radius="md" p="md" bg="var(--mantine-color-default-hover)" style={{ alignSelf: 'start' }} aria-live="polite" aria-busy={complete && isFetching}
      component="section" aria-label={t('preview.title')}
    >
      <Stack gap="sm">
        {!described && <Words draft={draft} description={shown?.description} />}
        {complete && error && <Alert color="red" p="xs">{words(error.message)}</Alert>}
        {complete && !shown && !error && <Skeleton height={120} />}
        {shown && (
          <>
            {described && <Text fw={600}>{shown.description}</Text>}
            <PreviewedFirings preview={shown} zone={draft.zone} more={more} />
            {shown.note && <Alert color="orange" p="xs"><Text size="sm">{i18n.language.startsWith('en') ? shown.note : t('preview.note')}</Text></Alert>}
            {shown.notes.map((note) => <Alert key={note.at + note.kind} color="orange" p="xs"><Text size="sm">{words(note.text)}</Text></Alert>)}
          </>
        )}
      </Stack>
    </Paper>
  );
}
