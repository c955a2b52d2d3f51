import { Alert, Badge, Group, List, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { useDuration } from '@/shared/Times';
import { useSchedulePreview } from '../queries';
import { viewerZone } from '../viewer_zone';
import type { ScheduleProps } from './ScheduleBuilder';
import { hasClock, scheduleOf } from './schedule_draft';
import { scheduleWords } from './schedule_words';
import { clockText } from './firing_text';

function Firings({ next, zone }: { next: { at: string; local: string; clock_changed: boolean }[]; zone: string }) {
  const { t, i18n } = useTranslation('taskForm');
  if (next.length === 0) return <Text size="sm" c="dimmed">{t('preview.never')}</Text>;
  return (
    <List listStyleType="none" spacing={6} aria-label={t('preview.next')}>
      {next.map((firing) => (
        <List.Item key={firing.at}>
          <Group gap="xs">
            <Text size="sm" component="span">{clockText(firing.at, zone, i18n.language)}</Text>
            {firing.clock_changed && <Badge size="sm" color="orange" variant="light" tt="none">{t('preview.clock')}</Badge>}
          </Group>
        </List.Item>
      ))}
    </List>
  );
}

/** What comes of the fields: the schedule in words, its next firings in its zone, and what the clock changes do to it. */
export function SchedulePreview({ draft, project, name }: ScheduleProps) {
  const { t } = useTranslation('taskForm');
  const say = useDuration();
  const schedule = scheduleOf(draft);
  const [asked] = useDebouncedValue(JSON.stringify({ schedule, project, name }), 300);
  const { data, error, isFetching } = useSchedulePreview(asked);
  const zone = hasClock(draft.mode) || draft.mode === 'once' ? draft.zone : viewerZone();
  const { key, values } = scheduleWords(draft, say);
  return (
    <Paper withBorder radius="md" p="md" bg="var(--mantine-color-default-hover)" aria-live="polite" aria-busy={isFetching} component="section" aria-label={t('preview.title')}>
      <Stack gap="sm">
        <Text fw={600}>{data?.description ?? t(`words.${key}`, values)}</Text>
        {error && <Alert color="red" p="xs">{error.message}</Alert>}
        {!data && !error && isFetching && <Skeleton height={120} />}
        {data && (
          <>
            <Text size="sm" c="dimmed">{t('preview.next_in', { zone: zone.replaceAll('_', ' ') })}</Text>
            <Firings next={data.next} zone={zone} />
            {data.notes.map((note) => <Alert key={note.at + note.kind} color="orange" p="xs"><Text size="sm">{note.text}</Text></Alert>)}
          </>
        )}
      </Stack>
    </Paper>
  );
}
