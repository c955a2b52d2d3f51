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
import { RelativeTime, useDuration } from '@/shared/Times';
import { addressOf } from './address';
import { DrainActions } from './DrainActions';

const colours: Record<Client['reach'], string> = { reachable: 'teal', pending: 'gray', unreachable: 'red' };
const mostAtFirst = 100;

function ClientState({ client }: { client: Client }) {
  const { t } = useTranslation('services');
  return (
    <Stack gap={2} align="flex-start">
      <Group gap={4}>
        <Badge color={colours[client.reach]} variant="light" tt="none">{t(`reach.${client.reach}`)}</Badge>
        {client.drained
          ? <Badge color="yellow" variant="light" tt="none">{t('drained')}</Badge>
          : client.state === 'draining' && <Badge color="yellow" variant="light" tt="none">{t('draining')}</Badge>}
      </Group>
      {client.drained && (
        <Text size="xs" c="dimmed" maw={260}>
          <RelativeTime at={client.drained.since} />{client.drained.by && ` · ${client.drained.by}`}{client.drained.reason && ` · ${client.drained.reason}`}
        </Text>
      )}
      {client.reach_why && <Text size="xs" c="dimmed" maw={260}>{client.reach_why}</Text>}
    </Stack>
  );
}

function Heard({ client: { live, live_why } }: { client: Client }) {
  const { t } = useTranslation('services');
  const say = useDuration();
  if (!live) return <Text size="xs" c="dimmed" maw={220}>{live_why}</Text>;
  return (
    <Stack gap={0}>
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>{t('heard_ago', { age: say(live.heard_ms) })}</Text>
      <Text size="xs" c="dimmed">{live.answered_ms === null ? t('answered_nothing') : t('answered_ago', { age: say(live.answered_ms) })}</Text>
    </Stack>
  );
}

function Slots({ client: { live, slots, queue } }: { client: Client }) {
  const { t } = useTranslation('services');
  return (
    <Stack gap={0}>
      <span title={t('queue_of', { count: queue })}>{live ? t('free_of', { free: live.free_slots, count: slots }) : slots}</span>
      {live && live.in_flight > 0 && <Text size="xs" c="dimmed">{t('in_flight', { count: live.in_flight })}</Text>}
      {live && live.waiting > 0 && <Text size="xs" c="dimmed">{t('waiting', { count: live.waiting })}</Text>}
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
    id: 'service', header: t('service'), accessorFn: (one) => `${one.project}/${one.service}`,
    cell: ({ row: { original: one } }) => (
      <Stack gap={0}>
        <Link to={addressOf(one)} size="sm">{one.service}</Link>
        <Text size="xs" c="dimmed">{one.project}</Text>
      </Stack>
    ),
  };
  return [
    {
      id: 'client', header: t('client'), accessorKey: 'instance',
      cell: ({ row: { original: one } }) => (
        <Stack gap={0}>
          <Instance name={one.instance} fw={600} />
          <Text size="xs" c="dimmed">{one.address || t('fetches')}</Text>
        </Stack>
      ),
    },
    ...(ofOneService ? [] : [service]),
    { id: 'state', header: t('state'), accessorFn: ({ reach, state, drained }) => `${reach} ${drained ? 'drained' : state}`, cell: ({ row }) => <ClientState client={row.original} /> },
    { id: 'heard', header: t('heard'), accessorFn: ({ live }) => live?.heard_ms, sortUndefined: 'last', cell: ({ row }) => <Heard client={row.original} /> },
    { id: 'slots', header: t('slots'), accessorFn: ({ live }) => live?.free_slots, sortUndefined: 'last', cell: ({ row }) => <Slots client={row.original} /> },
    { header: t('handlers'), cell: ({ row }) => <Handlers client={row.original} /> },
    {
      id: 'node', header: t('node'), accessorKey: 'node',
      cell: ({ row: { original: one } }) => (
        <Stack gap={0}>
          <Instance name={one.node} />
          <Text size="xs" c="dimmed">{t('of_version', { version: one.version })}</Text>
        </Stack>
      ),
    },
    { id: 'joined', header: t('joined'), accessorKey: 'joined_at', cell: ({ row }) => <RelativeTime at={row.original.joined_at} /> },
    { id: 'actions', header: t('actions'), cell: ({ row }) => <DrainActions client={row.original} /> },
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
  const hidden = !all && clients !== undefined && clients.length > mostAtFirst;
  return (
    <>
      <ErrorBox error={error} />
      {(clients || !error) && <DataTable label={t('clients')} items={clients} columns={columns} sortable {...(all ? {} : { most: mostAtFirst })} idOf={(one) => one.instance} empty={empty} />}
      {hidden && <Button mt="sm" variant="default" onClick={() => showAll(true)}>{t('show_all_clients', { count: clients.length })}</Button>}
    </>
  );
}
