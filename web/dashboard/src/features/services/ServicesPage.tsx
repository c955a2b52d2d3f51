import { Badge, Group, Text } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { Client, Service } from '@/api/types';
import { useCursor } from '@/shared/cursor';
import { DataTable } from '@/shared/DataTable';
import { EmptyState } from '@/shared/EmptyState';
import { ErrorBox } from '@/shared/ErrorBox';
import { Link } from '@/shared/Link';
import { PageHeader } from '@/shared/PageHeader';
import { usePreferences } from '@/shared/preferences';
import { Section } from '@/shared/Section';
import { ClientsTable } from './ClientsTable';
import { useClients, useServices } from './queries';
import { capacityOf, type Served, servedBy } from './served';

const colours: Record<Served, string> = { served: 'teal', unreachable: 'orange', nobody: 'red' };

function clientsOf(one: Service, clients: Client[]): Client[] {
  return clients.filter(({ project, service }) => project === one.project && service === one.service);
}

export function addressOf({ project, service }: Pick<Service, 'project' | 'service'>): string {
  return `/services/${encodeURIComponent(project)}/${encodeURIComponent(service)}`;
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
    { header: t('slots'), cell: ({ row }) => capacityOf(clientsOf(row.original, clients ?? [])).slots },
    { header: t('handlers'), cell: ({ row }) => <Text size="sm" lineClamp={2} maw={320}>{capacityOf(clientsOf(row.original, clients ?? [])).handlers.join(', ')}</Text> },
  ];
}

export default function ServicesPage() {
  const { t } = useTranslation('services');
  const [, go] = useLocation();
  const { project } = usePreferences();
  const cursor = useCursor(project);
  const { data, error, refetch } = useServices(project, cursor.after);
  const clients = useClients();
  const columns = useColumns(clients.data?.items);
  const ofProject = clients.data?.items.filter((client) => project === '' || client.project === project);
  return (
    <>
      <PageHeader title={t('title')} summary={t('summary')} />
      <ErrorBox error={error} retry={() => void refetch()} />
      <Section title={t('title')}>
        <DataTable
          label={t('title')} items={data?.items} columns={columns} idOf={(one) => `${one.project}/${one.service}`} onOpen={(one) => go(addressOf(one))}
          paging={{ cursor, next: data?.next }} empty={<EmptyState title={t('none')} help={t('none_help')} />}
        />
      </Section>
      <Section title={t('clients')}><ClientsTable clients={ofProject} error={clients.error} /></Section>
    </>
  );
}
