import { Stack, Text } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { DeadLetter } from '@/api/types';
import { useCursor } from '@/shared/cursor';
import { DataTable } from '@/shared/DataTable';
import { EmptyState } from '@/shared/EmptyState';
import { ErrorBox } from '@/shared/ErrorBox';
import { ChoiceFilter, FilterBar, TextFilter } from '@/shared/FilterBar';
import { useFilters } from '@/shared/filters';
import { Link } from '@/shared/Link';
import { PageHeader } from '@/shared/PageHeader';
import { usePreferences } from '@/shared/preferences';
import { StateBadge } from '@/shared/StateBadge';
import { RelativeTime } from '@/shared/Times';
import { TaskFilter } from '../pickers/TaskFilter';
import { ErrorCell } from './ErrorCell';
import { lettersOf, oneTask } from './letters';
import { type Resolution, useDeadLetters } from './queries';
import { ResolveBar } from './ResolveBar';

const resolutions: Resolution[] = ['open', 'retried', 'dismissed'];

function useColumns(resolution: Resolution): ColumnDef<DeadLetter>[] {
  const { t } = useTranslation('deadLetters');
  return [
    {
      header: t('task'),
      cell: ({ row }) => (
        <Stack gap={0}>
          <Link to={`/executions/${row.original.execution}`} fw={600} size="sm">{row.original.task_name ?? row.original.task}</Link>
          <Text size="xs" c="dimmed">{row.original.project}</Text>
        </Stack>
      ),
    },
    { header: t('state'), cell: ({ row }) => <StateBadge state={row.original.state} /> },
    { header: t('died'), cell: ({ row }) => <RelativeTime at={row.original.died_at} /> },
    { header: t('scheduled'), cell: ({ row }) => <RelativeTime at={row.original.scheduled_at} /> },
    { header: t('attempts'), accessorKey: 'attempt' },
    { header: t('error'), cell: ({ row }) => <ErrorCell letter={row.original} /> },
    ...(resolution === 'retried' ? [{ header: t('rerun'), cell: ({ row }) => (row.original.rerun ? <Link to={`/executions/${row.original.rerun}`} size="sm">{t('show_rerun')}</Link> : '–') } satisfies ColumnDef<DeadLetter>] : []),
    ...(resolution === 'dismissed' ? [{ header: t('resolved_at'), cell: ({ row }) => <RelativeTime at={row.original.resolved_at} /> } satisfies ColumnDef<DeadLetter>] : []),
  ];
}

export default function DeadLettersPage() {
  const { t } = useTranslation('deadLetters');
  const [, go] = useLocation();
  const { project } = usePreferences();
  const filters = useFilters(['task', 'resolution', 'broadcast', 'service', 'error'] as const);
  const { values, change } = filters;
  const resolution = resolutions.find((one) => one === values.resolution) ?? 'open';
  const cursor = useCursor(project + filters.key);
  const { data, error, refetch, isPlaceholderData: stale } = useDeadLetters({ project, ...values, resolution }, cursor.after);
  const [chosen, choose] = useState<string[]>([]);
  const columns = useColumns(resolution);
  const present = chosen.filter((id) => !stale && data?.items.some(({ execution }) => execution === id));
  const open = resolution === 'open';
  const task = present.length > 0 ? oneTask((data?.items ?? []).filter(({ execution }) => present.includes(execution))) : values.task;
  return (
    <>
      <PageHeader title={t('title')} summary={t('summary')} />
      <FilterBar used={filters.used} clear={filters.clear}>
        <ChoiceFilter label={t('resolution')} value={resolution} onChange={(next) => change({ resolution: next })} choices={resolutions.map((value) => ({ value, label: t(`resolutions.${value}`) }))} />
        <TaskFilter label={t('task')} value={values.task} project={project} onChange={(task) => change({ task })} />
        <TextFilter label={t('service')} value={values.service} onChange={(service) => change({ service })} />
        <TextFilter label={t('error')} value={values.error} onChange={(text) => change({ error: text })} />
        {values.broadcast && <Text size="sm">{t('shards_of')}{' '}<Link to={`/executions/${values.broadcast}`} size="sm">{values.broadcast}</Link></Text>}
      </FilterBar>
      <ErrorBox error={error} retry={() => void refetch()} />
      {open && <ResolveBar executions={present} task={task} all={data && !stale && (data.items.length > 0 || data.next !== null) ? lettersOf({ ...values, project }) : null} clear={() => choose([])} />}
      {(data || !error) && (
        <DataTable
          label={t('title')} items={data?.items} columns={columns} idOf={({ execution }) => execution}
          nameOf={(letter) => letter.task_name ?? letter.execution} onOpen={({ execution }) => go(`/executions/${execution}`)}
          {...(open ? { selection: { ids: present, onChange: choose } } : {})} paging={{ cursor, next: data?.next }} stale={stale}
          empty={<EmptyState title={t(`none.${resolution}`)} help={open ? t('none_help') : undefined} />}
        />
      )}
    </>
  );
}
