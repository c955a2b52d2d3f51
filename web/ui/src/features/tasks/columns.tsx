import { Badge, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import type { Task } from '@/api/types';
import type { Served } from '@/features/services/served';
import { useNow } from '@/shared/clock';
import { Link } from '@/shared/Link';
import { Reason } from '@/shared/Reason';
import { exact } from '@/shared/time';
import { RelativeTime, useZone } from '@/shared/Times';
import { useScheduleText } from './form/schedule_sentence';
import { TaskMenu } from './TaskMenu';
import { zoneOf } from './zone_of';

export function TaskState({ task }: { task: Task }) {
  const { t } = useTranslation('tasks');
  if (task.paused) return <Badge color="yellow" variant="light" tt="none">{t('paused')}</Badge>;
  if (task.parked_at) return <Badge color="orange" variant="light" tt="none">{t('parked')}</Badge>;
  return <Badge color={task.enabled ? 'teal' : 'gray'} variant="light" tt="none">{t(task.enabled ? 'enabled' : 'disabled')}</Badge>;
}

function TaskName({ task }: { task: Task }) {
  return (
    <Stack gap={2}>
      <Link to={`/tasks/${task.id}`} fw={600} size="sm">{task.name}</Link>
      {task.description && <Text size="xs" c="dimmed" maw={260} lineClamp={1}>{task.description}</Text>}
      <Group gap={4}>
        {Object.entries(task.labels ?? {}).map(([name, value]) => (
          <Badge key={name} size="xs" variant="default" tt="none">{`${name}: ${String(value)}`}</Badge>
        ))}
      </Group>
    </Stack>
  );
}

function Standing({ task, served }: { task: Task; served: Served | undefined }) {
  const { t, i18n } = useTranslation('tasks');
  const zone = useZone(zoneOf(task));
  const why = task.paused?.reason ?? task.parked_reason;
  const skips = (task.skips ?? []).map(({ firing }) => exact(firing, zone, i18n.language));
  return (
    <Stack gap={2} align="flex-start">
      <Group gap={4}>
        <TaskState task={task} />
        {task.enabled && served && served !== 'served' && <Badge color="red" variant="light" tt="none">{t(`need.badge.${served}`)}</Badge>}
      </Group>
      {why && <Text size="xs" c="dimmed" maw={220} lineClamp={2}><Reason text={why} /></Text>}
      {skips.length > 0 && <Text size="xs" c="dimmed" maw={220}>{t('skips', { times: skips.join(', ') })}</Text>}
    </Stack>
  );
}

/** The next firing; one that a pause or the lack of room keeps back was due before. */
function NextFiring({ task }: { task: Task }) {
  const { t } = useTranslation('tasks');
  const now = useNow();
  if (!task.next_at) return <Text span size="sm" c="dimmed">{t('no_firing')}</Text>;
  return <Text span size="sm">{task.parked_at && Date.parse(task.next_at) < now && `${t('was_due')} `}<RelativeTime at={task.next_at} zone={zoneOf(task)} /></Text>;
}

function Calls({ task }: { task: Task }) {
  return (
    <Stack gap={0}>
      <Text size="sm">{task.handler}</Text>
      <Text size="xs" c="dimmed">{`${task.project ?? ''} / ${task.service}`}</Text>
    </Stack>
  );
}

/** `served`: whether a service has a client; undefined if that is unknown. */
export function useTaskColumns(served: (project: string, service: string) => Served | undefined): ColumnDef<Task>[] {
  const { t } = useTranslation('tasks');
  const schedule = useScheduleText();
  return [
    { id: 'name', header: t('name'), cell: ({ row }) => <TaskName task={row.original} />, enableHiding: false },
    { id: 'state', header: t('state'), cell: ({ row: { original: one } }) => <Standing task={one} served={served(one.project ?? '', one.service)} /> },
    { id: 'schedule', header: t('schedule'), cell: ({ row }) => <Text size="sm" maw={320}>{schedule(row.original)}</Text> },
    {
      id: 'next', header: t('next_firing'),
      cell: ({ row }) => <NextFiring task={row.original} />,
    },
    { id: 'calls', header: t('calls'), cell: ({ row }) => <Calls task={row.original} /> },
    { id: 'owner', header: t('owner'), cell: ({ row }) => <Text size="sm">{row.original.owner}</Text> },
    { id: 'updated', header: t('facts.updated'), cell: ({ row }) => <RelativeTime at={row.original.updated_at} zone={zoneOf(row.original)} /> },
    { id: 'actions', header: () => <VisuallyHidden>{t('actions')}</VisuallyHidden>, cell: ({ row }) => <TaskMenu task={row.original} />, enableHiding: false },
  ];
}
