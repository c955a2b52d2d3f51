import { Badge, Group, Stack, Text } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import type { TriggerNode } from '@/api/types';
import { DataTable } from '@/shared/DataTable';
import { EmptyState } from '@/shared/EmptyState';
import { Reason } from '@/shared/Reason';
import { Duration, RelativeTime, useDuration } from '@/shared/Times';
import { clockOf, conditionOf, longestStep, type Condition } from './condition';
import { keyOf } from './parts';

const colours: Record<Condition, string> = { alive: 'teal', draining: 'yellow', silent: 'orange', cannot_plan: 'orange', part_failed: 'orange', cut_off: 'orange', gone: 'red' };

function NodeName({ node }: { node: TriggerNode }) {
  const { t } = useTranslation('nodes');
  return (
    <Stack gap={0}>
      <Group gap="xs">
        <Text fw={600} size="sm">{node.name}</Text>
        {node.master && <Badge variant="filled" tt="none" size="sm">{t('master')}</Badge>}
      </Group>
      <Text size="xs" c="dimmed">{node.address}</Text>
    </Stack>
  );
}

function useNameOf() {
  const { t, i18n } = useTranslation('nodes');
  // A name that the catalogue does not have, such as the address of a request, stays as it is.
  return (name: string, kind: 'parts' | 'loops') => (i18n.exists(`nodes:${kind}.${keyOf(name)}`) ? t(`${kind}.${keyOf(name)}` as 'parts.planner') : name);
}

function NodeCondition({ node }: { node: TriggerNode }) {
  const { t } = useTranslation('nodes');
  const nameOf = useNameOf();
  const condition = conditionOf(node);
  return (
    <Stack gap={2} align="flex-start">
      <Badge color={colours[condition]} variant="light" tt="none">{t(`condition.${condition}`)}</Badge>
      {condition === 'cut_off' && <Text size="xs" c="dimmed">{t('cut_off_help')}</Text>}
      {node.cannot_plan && <Text size="xs" c="dimmed"><Reason text={node.cannot_plan} /></Text>}
      {node.failed_parts.map(({ part, since, cause }) => (
        <Text key={part} size="xs" c="dimmed">{t('failed_part', { part: nameOf(part, 'parts') })} <RelativeTime at={since} />: <Reason text={cause} /></Text>
      ))}
    </Stack>
  );
}

function LongestStep({ node }: { node: TriggerNode }) {
  const { t } = useTranslation('nodes');
  const nameOf = useNameOf();
  const loop = longestStep(node);
  if (!loop) return <>–</>;
  const [name, part] = [nameOf(loop.name, 'loops'), nameOf(loop.part, 'parts')];
  return (
    <Stack gap={0}>
      <Duration ms={loop.longest_step_ms} />
      <Text size="xs" c="dimmed">{part ? t('in_part', { name, part }) : t('in_loop', { name })}</Text>
    </Stack>
  );
}

function VersionCell({ node }: { node: TriggerNode }) {
  const { t } = useTranslation('nodes');
  return (
    <Stack gap={0}>
      <Text size="sm">{node.version}</Text>
      <Text size="xs" c="dimmed">{t('revision', { revision: node.revision })}</Text>
      {node.zones && <Text size="xs" c="dimmed">{t('zones_of', { zones: node.zones })}</Text>}
    </Stack>
  );
}

function Clock({ node: { clock_offset_ms: offset } }: { node: TriggerNode }) {
  const { t } = useTranslation('nodes');
  const say = useDuration();
  return offset === null ? <>–</> : <>{t(`clock_${clockOf(offset)}`, { by: say(Math.abs(offset)) })}</>;
}

export function NodesTable({ nodes, filtered }: { nodes: TriggerNode[] | undefined; filtered: boolean }) {
  const { t } = useTranslation('nodes');
  const columns: ColumnDef<TriggerNode>[] = [
    { id: 'node', header: t('node'), accessorKey: 'name', cell: ({ row }) => <NodeName node={row.original} /> },
    { id: 'state', header: t('state'), accessorFn: conditionOf, cell: ({ row }) => <NodeCondition node={row.original} /> },
    { id: 'heartbeat', header: t('heartbeat'), accessorKey: 'age_ms', cell: ({ row }) => <Duration ms={row.original.age_ms} /> },
    { header: t('clients'), accessorKey: 'clients' },
    { id: 'load', header: t('load'), accessorKey: 'load', cell: ({ row }) => `${Math.round(row.original.load * 100)} %` },
    { id: 'step', header: t('longest_step'), accessorFn: (node) => longestStep(node)?.longest_step_ms, sortUndefined: 'last', cell: ({ row }) => <LongestStep node={row.original} /> },
    { id: 'clock', header: t('clock'), accessorFn: (node) => node.clock_offset_ms ?? undefined, sortUndefined: 'last', cell: ({ row }) => <Clock node={row.original} /> },
    { id: 'version', header: t('version'), accessorKey: 'version', cell: ({ row: { original: node } }) => <VersionCell node={node} /> },
    { id: 'started', header: t('started'), accessorKey: 'started_at', cell: ({ row }) => <RelativeTime at={row.original.started_at} /> },
  ];
  return (
    <DataTable
      label={t('nodes')} items={nodes} columns={columns} sortable idOf={(node) => node.incarnation}
      empty={filtered ? <EmptyState title={t('none_such')} /> : <EmptyState title={t('none')} help={t('none_help')} />}
    />
  );
}
