import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Client } from '@/api/types';
import { DataTable } from '@/shared/DataTable';
import { EmptyState } from '@/shared/EmptyState';
import { ErrorBox } from '@/shared/ErrorBox';
import { Instance } from '@/shared/Instance';
import { Link } from '@/shared/Link';
import { RelativeTime } from '@/shared/Times';
import { addressOf } from './address';

const colours: Record<Client['reach'], string> = { reachable: 'teal', pending: 'gray', unreachable: 'red' };
const mostAtFirst = 100;

function ClientState({ client }: { client: Client }) {
  const { t } = useTranslation('services');
  return (
    <Stack gap={2} align="flex-start">
      <Group gap={4}>
        <Badge color={colours[client.reach]} variant="light" tt="none">{t(`reach.${client.reach}`)}</Badge>
        {client.state === 'draining' && <Badge color="yellow" variant="light" tt="none">{t('draining')}</Badge>}
      </Group>
      {client.reach_why && <Text size="xs" c="dimmed" maw={260}>{client.reach_why}</Text>}
    </Stack>
  );
}

function Handlers({ client: { handlers, tags } }: { client: Client }) {
  return (
    <Stack gap={4}>
      <Text size="sm" maw={260} lineClamp={2} title={handlers.join(', ')}>{handlers.join(', ')}</Text>
      {tags.length > 0 && <Group gap={4}>{tags.map((tag) => <Badge key={tag} size="sm" variant="default" tt="none">{tag}</Badge>)}</Group>}
    </Stack>
  );
}

function useColumns(ofOneService: boolean): ColumnDef<Client>[] {
  const { t } = useTranslation('services');
  const service: ColumnDef<Client> = {
    header: t('service'),
    cell: ({ row: { original: one } }) => (
      <Stack gap={0}>
        <Link to={addressOf(one)} size="sm">{one.service}</Link>
        <Text size="xs" c="dimmed">{one.project}</Text>
      </Stack>
    ),
  };
  return [
    {
      header: t('client'),
      cell: ({ row: { original: one } }) => (
        <Stack gap={0}>
          <Instance name={one.instance} fw={600} />
          <Text size="xs" c="dimmed">{one.address || t('fetches')}</Text>
        </Stack>
      ),
    },
    ...(ofOneService ? [] : [service]),
    { header: t('state'), cell: ({ row }) => <ClientState client={row.original} /> },
    { header: t('slots'), cell: ({ row: { original: one } }) => <span title={t('queue_of', { count: one.queue })}>{one.slots}</span> },
    { header: t('handlers'), cell: ({ row }) => <Handlers client={row.original} /> },
    { header: t('node'), cell: ({ row }) => <Instance name={row.original.node} /> },
    { header: t('version'), accessorKey: 'version' },
    { header: t('joined'), cell: ({ row }) => <RelativeTime at={row.original.joined_at} /> },
  ];
}

interface Props {
  clients: Client[] | undefined;
  error: unknown;
  /** They all are of the service whose page this is. */
  ofOneService?: boolean;
  /** Others may be there. */
  filtered?: boolean;
}

export function ClientsTable({ clients, error, ofOneService = false, filtered = false }: Props) {
  const { t } = useTranslation('services');
  const columns = useColumns(ofOneService);
  const empty = filtered ? <EmptyState title={t('no_such_client')} /> : <EmptyState title={t('no_clients')} help={t(ofOneService ? 'no_clients_help' : 'no_clients_at_all')} />;
  const [all, showAll] = useState(false);
  const shown = all ? clients : clients?.slice(0, mostAtFirst);
  return (
    <>
      <ErrorBox error={error} />
      {(clients || !error) && <DataTable label={t('clients')} items={shown} columns={columns} idOf={(one) => one.instance} empty={empty} />}
      {clients && shown && clients.length > shown.length && <Button mt="sm" variant="default" onClick={() => showAll(true)}>{t('show_all_clients', { count: clients.length })}</Button>}
    </>
  );
}
