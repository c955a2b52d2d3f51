import { Badge, Group, Text } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { Client, Service } from '@/api/types';
import { useCursor } from '@/shared/cursor';
import { DataTable } from '@/shared/DataTable';
import { EmptyState } from '@/shared/EmptyState';
import { ErrorBox } from '@/shared/ErrorBox';
import { ChoiceFilter, FilterBar } from '@/shared/FilterBar';
import { useFilters } from '@/shared/filters';
import { Link } from '@/shared/Link';
import { PageHeader } from '@/shared/PageHeader';
import { usePreferences } from '@/shared/preferences';
import { Section } from '@/shared/Section';
import { addressOf } from './address';
import { ClientsTable } from './ClientsTable';
import { freeSlots } from './figures';
import { useAllServices, useClientFigures, useServices } from './queries';
import { capacityOf, type Served, servedBy } from './served';

const colours: Record<Served, string> = { served: 'teal', unreachable: 'orange', nobody: 'red' };

function clientsOf(one: Service, clients: Client[]): Client[] {
  return clients.filter(({ project, service }) => project === one.project && service === one.service);
}

function useColumns(clients: Client[] | undefined): ColumnDef<Service>[] {
  const { t } = useTranslation('services');
  return [
    { header: t('service'), cell: ({ row: { original: one } }) => <Link to={addressOf(one)} fw={600} size="sm">{one.service}</Link> },
    { header: t('project'), accessorKey: 'project' },
    {
      header: t('state'),
      cell: ({ row: { original: one } }) => {
        const served = servedBy(clientsOf(one, clients ?? []));
        return (
          <Group gap={4}>
            {clients && <Badge color={colours[served]} variant="light" tt="none">{t(`served.${served}`)}</Badge>}
            {one.paused && <Badge color="yellow" variant="light" tt="none">{t('paused')}</Badge>}
          </Group>
        );
      },
    },
    { header: t('clients'), cell: ({ row }) => clientsOf(row.original, clients ?? []).length },
    {
      header: t('slots'),
      cell: ({ row }) => {
        const own = clientsOf(row.original, clients ?? []);
        const told = freeSlots(own);
        return told ? t('free_of', { free: told.free, count: told.slots }) : capacityOf(own).slots;
      },
    },
    { header: t('handlers'), cell: ({ row }) => <Text size="sm" lineClamp={2} maw={320}>{capacityOf(clientsOf(row.original, clients ?? [])).handlers.join(', ')}</Text> },
  ];
}

const onlys = ['unserved', 'paused'] as const;
const reaches = ['reachable', 'pending', 'unreachable'] as const;

/** The services of one page, or of all pages those that `only` asks for. */
function useShown(project: string, only: string, clients: Client[]) {
  const cursor = useCursor(project);
  const page = useServices(project, cursor.after);
  const all = useAllServices(project, only !== '');
  if (only === '') return { items: page.data?.items, error: page.error, refetch: page.refetch, paging: { cursor, next: page.data?.next } };
  const wanted = (one: Service) => (only === 'paused' ? one.paused !== null : servedBy(clientsOf(one, clients)) !== 'served');
  return { items: all.data?.items.filter(wanted), error: all.error, refetch: all.refetch };
}

export default function ServicesPage() {
  const { t } = useTranslation('services');
  const [, go] = useLocation();
  const { project } = usePreferences();
  const filters = useFilters(['only', 'reach'] as const);
  const { values, change } = filters;
  const clients = useClientFigures();
  const { items, error, refetch, paging } = useShown(project, values.only, clients.data?.items ?? []);
  const columns = useColumns(clients.data?.items);
  const ofProject = clients.data?.items.filter((one) => (project === '' || one.project === project) && (values.reach === '' || one.reach === values.reach));
  return (
    <>
      <PageHeader title={t('title')} summary={t('summary')} />
      <FilterBar used={filters.used} clear={filters.clear}>
        <ChoiceFilter label={t('title')} value={values.only} onChange={(only) => change({ only })} choices={onlys.map((value) => ({ value, label: t(`only.${value}`) }))} />
        <ChoiceFilter label={t('clients')} value={values.reach} onChange={(reach) => change({ reach })} choices={reaches.map((value) => ({ value, label: t(`reach.${value}`) }))} />
      </FilterBar>
      <ErrorBox error={error} retry={() => void refetch()} />
      <Section title={t('title')}>
        <DataTable
          label={t('title')} items={items} columns={columns} idOf={(one) => `${one.project}/${one.service}`} onOpen={(one) => go(addressOf(one))}
          {...(paging ? { paging } : {})}
          empty={values.only === '' ? <EmptyState title={t('none')} help={t('none_help')} /> : <EmptyState title={t(`none_such.${values.only === 'paused' ? 'paused' : 'unserved'}`)} />}
        />
      </Section>
      <Section title={t('clients')}><ClientsTable clients={ofProject} error={clients.error} filtered={values.reach !== ''} /></Section>
    </>
  );
}
