import { Badge, Group, Stack, Text } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import type { Client } from '@/api/types';
import type { Cursor } from '@/shared/cursor';
import { DataTable } from '@/shared/DataTable';
import { EmptyState } from '@/shared/EmptyState';
import { ErrorBox } from '@/shared/ErrorBox';
import { Instance } from '@/shared/Instance';
import { shortInstance } from '@/shared/instance_name';
import { Reason } from '@/shared/Reason';
import { RelativeTime, useDuration } from '@/shared/Times';
import { DrainActions } from './DrainActions';
import { liveCode } from './reasons';
import { clientClock } from './served';

const colours: Record<Client['reach'], string> = { reachable: 'teal', pending: 'gray', unreachable: 'red' };
function ClientState({ client }: { client: Client }) {
  const { t } = useTranslation('services');
  const say = useDuration();
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
      {client.drained && client.live_code === 'older_release' && <Text size="xs" maw={260}>{t('home.older_release')}</Text>}
      {client.live?.refused && (
        <Text size="xs" c="var(--mantine-color-error)" maw={260}>{t('refused', { path: client.live.refused.path, age: say(client.live.refused.ms) })} <Reason text={client.live.refused.why} /></Text>
      )}
      {client.reach_why && <Text size="xs" c="dimmed" maw={260}><Reason text={client.reach_why} /></Text>}
    </Stack>
  );
}

function Heard({ client: { live, live_why: why, live_code, node } }: { client: Client }) {
  const { t } = useTranslation('services');
  const say = useDuration();
  const code = liveCode(live_code);
  const clock = clientClock(live?.clock_offset_ms);
  if (!live) return <Text size="xs" c="dimmed" maw={220} title={why ?? undefined}>{code ? t(`live.${code}`, { node: shortInstance(node) }) : why}</Text>;
  return (
    <Stack gap={0}>
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>{t('heard_ago', { age: say(live.heard_ms) })}</Text>
      {clock && <Text size="xs" c="var(--mantine-color-error)">{t(`clock.${clock}`, { by: say(Math.abs(live.clock_offset_ms ?? 0)) })}</Text>}
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

function useColumns(): ColumnDef<Client>[] {
  const { t } = useTranslation('services');
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
  paging?: { cursor: Cursor; next: string | null | undefined };
  /** Others may be there. */
  filtered?: boolean;
}

/** The clients of a service. They are sorted by a click where one page has them all. */
export function ClientsTable({ clients, error, paging, filtered = false }: Props) {
  const { t } = useTranslation('services');
  const columns = useColumns();
  const empty = filtered ? <EmptyState title={t('no_such_client')} /> : <EmptyState title={t('no_clients')} help={t('no_clients_help')} />;
  const whole = !paging?.next && !paging?.cursor.previous;
  return (
    <>
      <ErrorBox error={error} />
      {(clients || !error) && <DataTable label={t('clients')} items={clients} columns={columns} sortable={whole} idOf={(one) => one.instance} empty={empty} {...(paging ? { paging } : {})} />}
    </>
  );
}
