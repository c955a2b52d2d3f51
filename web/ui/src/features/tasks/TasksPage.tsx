import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { useProjectNames } from '@/api/projects';
import { useServed } from '@/features/services/queries';
import { useCursor } from '@/shared/cursor';
import { DataTable } from '@/shared/DataTable';
import { EmptyState } from '@/shared/EmptyState';
import { ErrorBox } from '@/shared/ErrorBox';
import { ChoiceFilter, FilterBar, TextFilter } from '@/shared/FilterBar';
import { useFilters } from '@/shared/filters';
import { useHiddenColumns } from '@/shared/hidden_columns';
import { ListTools } from '@/shared/ListTools';
import { PageHeader } from '@/shared/PageHeader';
import { usePreferences } from '@/shared/preferences';
import { BulkBar } from './BulkBar';
import { Deleted } from './Deleted';
import { labels } from './labels';
import { useTasks } from './queries';
import { useTaskColumns } from './columns';

const hiddenAtFirst = ['owner', 'updated'];
const names = ['text', 'project', 'name', 'service', 'owner', 'kind', 'enabled', 'label'] as const;
const kinds = ['cron', 'fixed_rate', 'fixed_delay', 'once', 'api', 'window', 'calendar', 'after'] as const;

export default function TasksPage() {
  const { t } = useTranslation('tasks');
  const [, go] = useLocation();
  const { project } = usePreferences();
  const projects = useProjectNames();
  const filters = useFilters(names);
  const cursor = useCursor(project + filters.key);
  const { data, error, refetch, isPlaceholderData: stale } = useTasks({ ...filters.values, project: filters.values.project || project }, cursor.after);
  const [chosen, choose] = useState<string[]>([]);
  const { data: served } = useServed(filters.values.project || project);
  const columns = useTaskColumns(served ?? (() => undefined));
  const [hidden, hide] = useHiddenColumns('tasks', hiddenAtFirst);
  const tasks = (!stale && data?.items.filter(({ id }) => id && chosen.includes(id))) || [];
  const { values, change } = filters;
  const empty = filters.used > 0
    ? <EmptyState title={t('none_found')} action={<Button variant="default" onClick={filters.clear}>{t('show_all')}</Button>} />
    : <EmptyState title={t('none')} help={t('none_help')} action={<Button component={Link} href="/tasks/new">{t('action.new')}</Button>} />;
  return (
    <>
      <PageHeader title={t('title')} summary={t('summary')} actions={<Button component={Link} href="/tasks/new">{t('action.new')}</Button>} />
      <FilterBar used={filters.used} clear={filters.clear} tools={<ListTools list="tasks" path="/tasks" columns={columns} hidden={hidden} hide={hide} />}>
        <TextFilter label={t('search')} value={values.text} onChange={(text) => change({ text })} />
        <ChoiceFilter label={t('project')} value={values.project} onChange={(one) => change({ project: one })} choices={(projects.data ?? []).map((value) => ({ value, label: value }))} />
        <TextFilter label={t('name')} value={values.name} onChange={(name) => change({ name })} />
        <TextFilter label={t('service')} value={values.service} onChange={(service) => change({ service })} />
        <TextFilter label={t('owner')} value={values.owner} onChange={(owner) => change({ owner })} />
        <ChoiceFilter label={t('kind_of_schedule')} value={values.kind} onChange={(kind) => change({ kind })} choices={kinds.map((value) => ({ value, label: t(`kind.${value}`) }))} />
        <ChoiceFilter label={t('state')} value={values.enabled} onChange={(enabled) => change({ enabled })} choices={[{ value: 'true', label: t('enabled') }, { value: 'false', label: t('disabled') }]} />
        <TextFilter label={t('labels')} value={values.label} onChange={(label) => change({ label })} wrong={(text) => (labels.test(text) ? null : t('labels_wrong'))} />
      </FilterBar>
      <ErrorBox error={error} retry={() => void refetch()} />
      <BulkBar tasks={tasks} clear={() => choose([])} />
      {(data || !error) && (
        <DataTable
          label={t('title')} items={data?.items} columns={columns} hidden={hidden} idOf={(task) => task.id ?? ''} nameOf={(task) => task.name}
          onOpen={(task) => go(`/tasks/${task.id}`)} selection={{ ids: chosen, onChange: choose }}
          paging={{ cursor, next: data?.next }} empty={empty} stale={stale}
        />
      )}
      <Deleted name={values.name} project={values.project || project} />
    </>
  );
}
