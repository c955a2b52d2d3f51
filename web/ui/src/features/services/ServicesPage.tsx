import { Badge, Group, Stack, Text } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { Service } from '@/api/types';
import { useCursor } from '@/shared/cursor';
import { DataTable } from '@/shared/DataTable';
import { EmptyState } from '@/shared/EmptyState';
import { ErrorBox } from '@/shared/ErrorBox';
import { ChoiceFilter, FilterBar } from '@/shared/FilterBar';
import { useFilters } from '@/shared/filters';
import { Link } from '@/shared/Link';
import { PageHeader } from '@/shared/PageHeader';
import { usePreferences } from '@/shared/preferences';
import { addressOf } from './address';
import { useChosenServices, useServices } from './queries';
import { clientStates, type Only, onlys, type Served, servedBy, totalOf } from './served';

const colours: Record<Served, string> = { served: 'teal', unreachable: 'orange', nobody: 'red' };

/** How many clients a service has, and how many of them are in each state other than `up`. */
function ClientCounts({ of: { project, service, clients } }: { of: Service }) {
  const { t, i18n } = useTranslation('services');
  const others = clientStates.filter((state) => state !== 'up' && clients[state] > 0);
  return (
    <Stack gap={0}>
      <span>{totalOf(clients).toLocaleString(i18n.language)}</span>
      {others.map((state) => (
        <Text key={state} size="xs" c="dimmed" component="span">
          <Link to={`${addressOf({ project, service })}?state=${state}`} size="xs">{t('of_state', { n: clients[state].toLocaleString(i18n.language), state: t(`states.${state}`) })}</Link>
        </Text>
      ))}
    </Stack>
  );
}

function useColumns(): ColumnDef<Service>[] {
  const { t } = useTranslation('services');
  return [
    { header: t('service'), cell: ({ row: { original: one } }) => <Link to={addressOf(one)} fw={600} size="sm">{one.service}</Link> },
    { header: t('project'), accessorKey: 'project' },
    {
      header: t('state'),
      cell: ({ row: { original: one } }) => {
        const served = servedBy(one.clients);
        return (
          <Group gap={4}>
            <Badge color={colours[served]} variant="light" tt="none">{t(`served.${served}`)}</Badge>
            {one.paused && <Badge color="yellow" variant="light" tt="none">{t('paused')}</Badge>}
          </Group>
        );
      },
    },
    { header: t('clients'), cell: ({ row }) => <ClientCounts of={row.original} /> },
  ];
}

/** The services of one page, or, with `only`, those among the first five thousand that match it. */
function useShown(project: string, only: Only | undefined) {
  const cursor = useCursor(project);
  const page = useServices(project, cursor.after, only === undefined);
  const chosen = useChosenServices(project, only);
  if (only === undefined) return { ...page, items: page.data?.items, paging: { cursor, next: page.data?.next } };
  return { ...chosen, items: chosen.data?.items, cut: chosen.data?.more === true };
}

export default function ServicesPage() {
  const { t } = useTranslation('services');
  const [, go] = useLocation();
  const { project } = usePreferences();
  const filters = useFilters(['only'] as const);
  const only = onlys.find((one) => one === filters.values.only);
  const shown = useShown(project, only);
  const columns = useColumns();
  return (
    <>
      <PageHeader title={t('title')} summary={t('summary')} />
      <FilterBar used={filters.used} clear={filters.clear}>
        <ChoiceFilter label={t('title')} value={only ?? ''} onChange={(next) => filters.change({ only: next })} choices={onlys.map((value) => ({ value, label: t(`only.${value}`) }))} />
      </FilterBar>
      <ErrorBox error={shown.error} retry={() => void shown.refetch()} />
      {'cut' in shown && shown.cut && <Text size="sm" c="dimmed" mb="sm">{t('only_first')}</Text>}
      {(shown.items || !shown.error) && (
        <DataTable
          label={t('title')} items={shown.items} columns={columns} idOf={(one) => `${one.project}/${one.service}`} onOpen={(one) => go(addressOf(one))}
          {...('paging' in shown ? { paging: shown.paging } : {})}
          empty={only === undefined ? <EmptyState title={t('none')} help={t('none_help')} /> : <EmptyState title={t(`none_such.${only}`)} />}
        />
      )}
    </>
  );
}
