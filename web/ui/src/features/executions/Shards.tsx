import { Button, Group, Text } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { Execution, State } from '@/api/types';
import { useResolve } from '@/features/dead-letters/queries';
import { ResolveDialog } from '@/features/dead-letters/ResolveDialog';
import { DataTable } from '@/shared/DataTable';
import { Instance } from '@/shared/Instance';
import { Link } from '@/shared/Link';
import { Reason } from '@/shared/Reason';
import { ReasonText } from '@/shared/ReasonText';
import { Section } from '@/shared/Section';
import { StateBadge } from '@/shared/StateBadge';
import { Duration } from '@/shared/Times';
import { canRetry } from './possible';
import { useShards } from './queries';
import { tookMs } from './times_of';

const mostShown = 20;

function RerunFailed({ broadcast, task, count }: { broadcast: string; task: string; count: number }) {
  const { t } = useTranslation('executions');
  const [asked, ask] = useState(false);
  const { mutate, data, isPending, error, reset, progress, stop } = useResolve();
  const close = () => { stop(); ask(false); reset(); };
  return (
    <>
      {data && <Text size="sm">{t('bulk.done', { count: data.done })}</Text>}
      <Button size="xs" onClick={() => ask(true)}>{t('rerun_failed', { count })}</Button>
      {asked && (
        <ResolveDialog how="retry" of={{ broadcast }} task={task} busy={isPending} error={error} progress={progress} close={close} send={(request) => mutate(request, { onSuccess: () => ask(false) })} />
      )}
    </>
  );
}

/** The shards of a broadcast, and a way to run those again that failed. Of another execution it shows nothing. */
export function Shards({ of }: { of: Pick<Execution, 'id' | 'task' | 'parent' | 'ended_at'> }) {
  const { t } = useTranslation(['executions', 'shared']);
  const [, go] = useLocation();
  const { data } = useShards(of);
  const columns: ColumnDef<Execution>[] = [
    { header: t('shard'), cell: ({ row: { original: one } }) => <Link to={`/executions/${one.id}`} size="sm" fw={600}>{t('shard_of', { n: one.shard_index + 1, of: one.shard_total })}</Link> },
    { header: t('state'), cell: ({ row }) => <StateBadge state={row.original.state} /> },
    { header: t('client'), cell: ({ row: { original: { first_attempt: { client } } } }) => (client ? <Instance name={client} /> : '–') },
    { header: t('took'), cell: ({ row }) => <Duration ms={tookMs(row.original)} /> },
    { header: t('why'), cell: ({ row }) => <ReasonText reason={row.original.reason !== null && <Reason text={row.original.reason} />} /> },
  ];
  if (!data || data.items.length === 0) return null;
  const counts = new Map<State, number>();
  for (const { state } of data.items) counts.set(state, (counts.get(state) ?? 0) + 1);
  const failed = data.items.filter(canRetry).length;
  const shown = [...data.items].sort((a, b) => a.shard_index - b.shard_index).slice(0, mostShown);
  const actions = (
    <Group gap="sm">
      <Link to={`/executions?parent=${of.id}`} size="sm">{t('show_shards')}</Link>
      {failed > 0 && <RerunFailed broadcast={of.id} task={of.task} count={failed} />}
    </Group>
  );
  return (
    <Section title={t('shards')} actions={actions}>
      <Text size="sm" mb="sm">{[...counts].map(([state, count]) => `${count} ${t(`shared:state.${state}`)}`).join(' · ')}</Text>
      <DataTable label={t('shards')} items={shown} columns={columns} idOf={({ id }) => id} onOpen={({ id }) => go(`/executions/${id}`)} empty={null} />
    </Section>
  );
}
