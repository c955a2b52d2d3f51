import { Button, Stack, Text } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { Execution, State } from '@/api/types';
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
import { between } from '@/shared/time';
import { Duration, ExactTime, RelativeTime } from '@/shared/Times';
import { useExecutions } from './queries';

const states: State[] = ['waiting', 'running', 'retrying', 'succeeded', 'failed', 'timed_out', 'cancelled', 'skipped'];

function useColumns(): ColumnDef<Execution>[] {
  const { t } = useTranslation('executions');
  return [
    {
      header: t('task'),
      cell: ({ row: { original: one } }) => (
        <Stack gap={0}>
          <Link to={`/executions/${one.id}`} fw={600} size="sm">{one.task_name ?? one.task}</Link>
          <Text size="xs" c="dimmed">{one.project}</Text>
        </Stack>
      ),
    },
    { header: t('state'), cell: ({ row }) => <StateBadge state={row.original.state} /> },
    { header: t('scheduled'), cell: ({ row }) => <RelativeTime at={row.original.scheduled_at} /> },
    { header: t('took'), cell: ({ row }) => <Duration ms={between(row.original.first_attempt.started_at, row.original.ended_at)} /> },
    { header: t('cause'), cell: ({ row }) => t(`causes.${row.original.cause}`) },
    { header: t('attempt'), cell: ({ row }) => t('attempt_of', { n: row.original.attempt, of: row.original.max_attempts }) },
    { header: t('why'), cell: ({ row }) => <Text size="sm" lineClamp={2} maw={280}>{row.original.reason ?? row.original.first_attempt.error ?? ''}</Text> },
  ];
}

export default function ExecutionsPage() {
  const { t } = useTranslation(['executions', 'shared']);
  const [, go] = useLocation();
  const { project } = usePreferences();
  const filters = useFilters(['task', 'state', 'planned', 'parent', 'from', 'until'] as const);
  const cursor = useCursor(project + filters.key);
  const { data, error, refetch } = useExecutions({ project, ...filters.values }, cursor.after);
  const columns = useColumns();
  const { values, change } = filters;
  const choices = [{ value: 'failed,timed_out', label: t('failures') }, ...states.map((value) => ({ value, label: t(`shared:state.${value}`) }))];
  const empty = filters.used > 0
    ? <EmptyState title={t('none_found')} action={<Button variant="default" onClick={filters.clear}>{t('show_all')}</Button>} />
    : <EmptyState title={t('none')} help={t('none_help')} />;
  return (
    <>
      <PageHeader title={t('title')} summary={t('summary')} />
      <FilterBar used={filters.used} clear={filters.clear}>
        <ChoiceFilter label={t('state')} value={values.state} onChange={(state) => change({ state })} choices={choices} />
        <ChoiceFilter label={t('time')} value={values.planned} onChange={(planned) => change({ planned })} choices={[{ value: 'true', label: t('ahead') }]} />
        <TextFilter label={t('task_id')} value={values.task} onChange={(task) => change({ task })} />
        {values.from && <Text size="sm">{t('scheduled_from')}{' '}<ExactTime at={values.from} /></Text>}
        {values.until && <Text size="sm">{t('scheduled_until')}{' '}<ExactTime at={values.until} /></Text>}
        {values.parent && <Text size="sm">{t('shards_of', { id: values.parent })}</Text>}
      </FilterBar>
      <ErrorBox error={error} retry={() => void refetch()} />
      {(data || !error) && (
        <DataTable
          label={t('title')} items={data?.items} columns={columns} idOf={({ id }) => id}
          onOpen={({ id }) => go(`/executions/${id}`)} paging={{ cursor, next: data?.next }} empty={empty}
        />
      )}
    </>
  );
}
