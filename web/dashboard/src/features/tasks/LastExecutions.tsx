import { Box, Group, Tooltip } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { Execution } from '@/api/types';
import { DataTable } from '@/shared/DataTable';
import { EmptyState } from '@/shared/EmptyState';
import { ErrorBox } from '@/shared/ErrorBox';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import { StateBadge, stateColour } from '@/shared/StateBadge';
import { between } from '@/shared/time';
import { Duration, RelativeTime } from '@/shared/Times';
import { useLastExecutions } from './queries';

function Strip({ executions }: { executions: Execution[] }) {
  const { t } = useTranslation(['tasks', 'shared']);
  return (
    <Group gap={3} mb="md" role="img" aria-label={t('last.strip', { count: executions.length })}>
      {[...executions].reverse().map(({ id, state }) => (
        <Tooltip key={id} label={t(`shared:state.${state}`)}>
          <Box w={10} h={28} bg={`${stateColour(state)}.5`} style={{ borderRadius: 3 }} />
        </Tooltip>
      ))}
    </Group>
  );
}

export function LastExecutions({ task, zone }: { task: string; zone: string | undefined }) {
  const { t } = useTranslation('tasks');
  const { t: words } = useTranslation('executions');
  const [, go] = useLocation();
  const { data, error, refetch } = useLastExecutions(task);
  const columns: ColumnDef<Execution>[] = [
    { header: words('scheduled'), cell: ({ row }) => <Link to={`/executions/${row.original.id}`} size="sm"><RelativeTime at={row.original.scheduled_at} {...(zone ? { zone } : {})} /></Link> },
    { header: words('state'), cell: ({ row }) => <StateBadge state={row.original.state} /> },
    { header: words('cause'), cell: ({ row }) => words(`causes.${row.original.cause}`) },
    { header: words('took'), cell: ({ row }) => <Duration ms={between(row.original.first_attempt.started_at, row.original.ended_at)} /> },
    { header: words('attempt'), accessorKey: 'attempt' },
  ];
  return (
    <Section title={t('last.title')} actions={<Link to={`/executions?task=${task}`} size="sm">{t('last.all')}</Link>}>
      <ErrorBox error={error} retry={() => void refetch()} />
      {data && data.items.length > 0 && <Strip executions={data.items} />}
      <DataTable
        label={t('last.title')} items={data?.items.slice(0, 8)} columns={columns} idOf={({ id }) => id}
        onOpen={({ id }) => go(`/executions/${id}`)} empty={<EmptyState title={t('last.none')} help={t('last.none_help')} />}
      />
    </Section>
  );
}
