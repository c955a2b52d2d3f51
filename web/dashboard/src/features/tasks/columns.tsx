import { Badge, Group, Stack, Text } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import type { Task } from '@/api/types';
import { Link } from '@/shared/Link';
import { RelativeTime } from '@/shared/Times';

export function TaskState({ task }: { task: Task }) {
  const { t } = useTranslation('tasks');
  if (task.paused) return <Badge color="yellow" variant="light" tt="none">{t('paused')}</Badge>;
  if (task.parked_at) return <Badge color="orange" variant="light" tt="none">{t('parked')}</Badge>;
  return <Badge color={task.enabled ? 'teal' : 'gray'} variant="light" tt="none">{t(task.enabled ? 'enabled' : 'disabled')}</Badge>;
}

export function zoneOf(task: Pick<Task, 'schedule'>): string | undefined {
  return 'zone' in task.schedule ? task.schedule.zone : undefined;
}

function TaskName({ task }: { task: Task }) {
  return (
    <Stack gap={2}>
      <Link to={`/tasks/${task.id}`} fw={600} size="sm">{task.name}</Link>
      <Group gap={4}>
        {Object.entries(task.labels ?? {}).map(([name, value]) => (
          <Badge key={name} size="xs" variant="default" tt="none">{`${name}: ${String(value)}`}</Badge>
        ))}
      </Group>
    </Stack>
  );
}

export function useTaskColumns(): ColumnDef<Task>[] {
  const { t } = useTranslation('tasks');
  return [
    { header: t('name'), cell: ({ row }) => <TaskName task={row.original} /> },
    { header: t('state'), cell: ({ row }) => <TaskState task={row.original} /> },
    { header: t('schedule'), cell: ({ row }) => <Text size="sm" maw={320}>{row.original.schedule_text}</Text> },
    { header: t('next_firing'), cell: ({ row }) => (row.original.next_fire_at ? <RelativeTime at={row.original.next_fire_at} zone={zoneOf(row.original)} /> : <Text span c="dimmed">{t('no_firing')}</Text>) },
    {
      header: t('calls'),
      cell: ({ row }) => (
        <Stack gap={0}>
          <Text size="sm">{row.original.handler}</Text>
          <Text size="xs" c="dimmed">{`${row.original.project ?? ''} / ${row.original.service}`}</Text>
        </Stack>
      ),
    },
  ];
}
