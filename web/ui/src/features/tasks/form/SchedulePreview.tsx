import { Alert, Badge, Group, List, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { useDuration } from '@/shared/Times';
import { useCalendars, useSchedulePreview } from '../queries';
import { leftOut } from './calendar_days';
import { clockText } from './firing_text';
import type { ScheduleProps } from './ScheduleBuilder';
import { repeats, scheduleOf, type CalendarUse, type ScheduleDraft } from './schedule_draft';
import { scheduleWords } from './schedule_words';

interface FiringsProps {
  next: { at: string; clock_changed: boolean }[];
  zone: string;
  project: string;
  uses: CalendarUse[];
}

function Firings({ next, zone, project, uses }: FiringsProps) {
  const { t, i18n } = useTranslation('taskForm');
  const { data: calendars = [] } = useCalendars(project);
  if (next.length === 0) return <Text size="sm" c="dimmed">{t('preview.never')}</Text>;
  return (
    <List listStyleType="none" spacing={6} aria-label={t('preview.next')}>
      {next.map((firing) => {
        const out = leftOut(uses, calendars, firing.at);
        return (
          <List.Item key={firing.at}>
            <Group gap="xs">
              <Text size="sm" component="span" {...(out ? { td: 'line-through', c: 'dimmed' } : {})}>{clockText(firing.at, zone, i18n.language)}</Text>
              {firing.clock_changed && <Badge size="sm" color="orange" variant="light" tt="none">{t('preview.clock')}</Badge>}
              {out && <Badge size="sm" color="gray" variant="light" tt="none">{t('preview.left_out')}</Badge>}
            </Group>
          </List.Item>
        );
      })}
    </List>
  );
}

/** In the page's own words, for the kinds that the server explains only once they are saved. */
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
      {repeats(draft.mode) && <Text size="sm" c="dimmed">{t('preview.later')}</Text>}
    </>
  );
}

/** What comes of the fields: the schedule in words, its next firings in its zone, and what the clock changes do to it. */
export function SchedulePreview({ draft, project, name }: ScheduleProps) {
  const { t } = useTranslation('taskForm');
  const schedule = scheduleOf(draft);
  const [asked] = useDebouncedValue(JSON.stringify({ schedule, project, name }), 300);
  const { data, error, isFetching } = useSchedulePreview(asked);
  const explained = schedule.kind === 'cron';
  const shown = explained && !error ? data : undefined;
  return (
    <Paper
      withBorder radius="md" p="md" bg="var(--mantine-color-default-hover)" style={{ alignSelf: 'start' }} aria-live="polite" aria-busy={explained && isFetching}
      component="section" aria-label={t('preview.title')}
    >
      <Stack gap="sm">
        {!explained && <Words draft={draft} />}
        {explained && error && <Alert color="red" p="xs">{error.message}</Alert>}
        {explained && !shown && !error && <Skeleton height={120} />}
        {shown && (
          <>
            <Text fw={600}>{shown.description}</Text>
            <Text size="sm" c="dimmed">{t('preview.next_in', { zone: draft.zone.replaceAll('_', ' ') })}</Text>
            <Firings next={shown.next} zone={draft.zone} project={project} uses={draft.calendars} />
            {shown.notes.map((note) => <Alert key={note.at + note.kind} color="orange" p="xs"><Text size="sm">{note.text}</Text></Alert>)}
          </>
        )}
      </Stack>
    </Paper>
  );
}
