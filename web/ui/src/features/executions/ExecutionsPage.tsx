import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useCursor } from '@/shared/cursor';
import { DataTable } from '@/shared/DataTable';
import { EmptyState } from '@/shared/EmptyState';
import { ErrorBox } from '@/shared/ErrorBox';
import { useFilters } from '@/shared/filters';
import { useHiddenColumns } from '@/shared/hidden_columns';
import { ListTools } from '@/shared/ListTools';
import { PageHeader } from '@/shared/PageHeader';
import { usePreferences } from '@/shared/preferences';
import { BulkBar } from './BulkBar';
import { useColumns } from './columns';
import { Filters } from './Filters';
import { filterNames, projectOf } from './list_query';
import { useExecutions } from './queries';

const hiddenAtFirst = ['lag', 'client'];

export default function ExecutionsPage() {
  const { t } = useTranslation('executions');
  const [, go] = useLocation();
  const { project: chosenProject } = usePreferences();
  const filters = useFilters(filterNames);
  const project = projectOf(filters.values.project, chosenProject);
  const cursor = useCursor(project + filters.key);
  const { data, error, refetch, isPlaceholderData: stale } = useExecutions({ ...filters.values, project }, cursor.after);
  const [chosen, choose] = useState<string[]>([]);
  const columns = useColumns();
  const [hidden, hide] = useHiddenColumns('executions', hiddenAtFirst);
  const executions = (!stale && data?.items.filter(({ id }) => chosen.includes(id))) || [];
  const empty = filters.used > 0
    ? <EmptyState title={t('none_found')} action={<Button variant="default" onClick={filters.clear}>{t('show_all')}</Button>} />
    : <EmptyState title={t('none')} help={t('none_help')} />;
  return (
    <>
      <PageHeader title={t('title')} summary={t('summary')} />
      <Filters values={filters.values} change={filters.change} clear={filters.clear} used={filters.used} project={project} tools={<ListTools list="executions" path="/executions" columns={columns} hidden={hidden} hide={hide} />} />
      <ErrorBox error={error} retry={() => void refetch()} />
      <BulkBar executions={executions} clear={() => choose([])} />
      {(data || !error) && (
        <DataTable
          label={t('title')} items={data?.items} columns={columns} hidden={hidden} idOf={({ id }) => id} nameOf={(one) => `${one.task_name ?? ''} ${one.id}`}
          onOpen={({ id }) => go(`/executions/${id}`)} selection={{ ids: executions.map(({ id }) => id), onChange: choose }}
          paging={{ cursor, next: data?.next }} empty={empty} stale={stale}
        />
      )}
    </>
  );
}
