import { Badge, Group, Stack, Text } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import type { Client } from '@/api/types';
import { DataTable } from '@/shared/DataTable';
import { EmptyState } from '@/shared/EmptyState';
import { ErrorBox } from '@/shared/ErrorBox';
import { RelativeTime } from '@/shared/Times';

const colours: Record<Client['reach'], string> = { reachable: 'teal', pending: 'gray', unreachable: 'red' };

function ClientState({ client }: { client: Client }) {
  const { t } = useTranslation('services');
  return (
    <Stack gap={2} align="flex-start">
      <Group gap={4}>
        <Badge color={colours[client.reach]} variant="light" tt="none">{t(`reach.${client.reach}`)}</Badge>
        {client.state === 'draining' && <Badge color="yellow" variant="light" tt="none">{t('draining')}</Badge>}
      </Group>
      {client.reach_why && <Text size="xs" c="dimmed">{client.reach_why}</Text>}
    </Stack>
  );
}

export function ClientsTable({ clients, error }: { clients: Client[] | undefined; error: unknown }) {
  const { t } = useTranslation('services');
  const columns: ColumnDef<Client>[] = [
    {
      header: t('client'),
      cell: ({ row: { original: one } }) => (
        <Stack gap={0}>
          <Text size="sm" fw={600}>{one.instance}</Text>
          <Text size="xs" c="dimmed">{one.address}</Text>
        </Stack>
      ),
    },
    { header: t('service'), cell: ({ row }) => `${row.original.project} / ${row.original.service}` },
    { header: t('state'), cell: ({ row }) => <ClientState client={row.original} /> },
    { header: t('slots'), accessorKey: 'slots' },
    { header: t('queue'), accessorKey: 'queue' },
    { header: t('tags'), cell: ({ row }) => row.original.tags.join(', ') },
    { header: t('node'), accessorKey: 'node' },
    { header: t('version'), accessorKey: 'version' },
    { header: t('joined'), cell: ({ row }) => <RelativeTime at={row.original.joined_at} /> },
  ];
  return (
    <>
      <ErrorBox error={error} />
      {(clients || !error) && <DataTable label={t('clients')} items={clients} columns={columns} idOf={(one) => one.instance} empty={<EmptyState title={t('no_clients')} help={t('no_clients_help')} />} />}
    </>
  );
}
