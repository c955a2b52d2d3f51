import { Alert, List } from '@mantine/core';
import { Fragment } from 'react';
import type { ColumnDef } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { Execution } from '@/api/types';
import { attemptsOf } from '@/features/executions/attempts';
import { DataTable } from '@/shared/DataTable';
import { EmptyState } from '@/shared/EmptyState';
import { ErrorBox } from '@/shared/ErrorBox';
import { Link } from '@/shared/Link';
import { isPause } from '@/shared/server_words';
import { Section } from '@/shared/Section';
import { Took } from '@/features/executions/Took';
import { Why } from '@/features/executions/Why';
import { WhyWaits } from '@/features/executions/WhyWaits';
import { StateBadge } from '@/shared/StateBadge';
import { RelativeTime } from '@/shared/Times';
import { OutcomeStrip } from './OutcomeStrip';
import { byReason, waitingOf } from './outcomes';
import { useLastExecutions } from './queries';
import { RunTimes } from './RunTimes';

const mostNamed = 3;

/** What the server says of executions that have not ended and do not go on. */
function Waiting({ executions, paused }: { executions: Execution[]; paused: boolean }) {
  const { t } = useTranslation(['tasks', 'shared']);
  const waiting = waitingOf(executions);
  if (waiting.length === 0) return null;
  return (
    <Alert color="yellow" mb="md" title={t('waiting.title', { count: waiting.length })}>
      <List size="sm">
        {byReason(waiting).map(({ reason, executions: some }) => (
          <List.Item key={reason}>
            {/* The top of the page already says that the service is paused. */}
            {!(paused && isPause(reason)) && <><WhyWaits text={reason} project={some[0]?.project ?? ''} />{': '}</>}
            {some.slice(0, mostNamed).map(({ id, scheduled_at }, at) => (
              <Fragment key={id}>{at > 0 && t('shared:comma')}<Link to={`/executions/${id}`} size="sm"><RelativeTime at={scheduled_at} plain /></Link></Fragment>
            ))}
            {some.length > mostNamed && <>{' '}<Link to={`/executions?task=${some[0]?.task ?? ''}&state=waiting`} size="sm">{t('waiting.more', { count: some.length - mostNamed })}</Link></>}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

export function LastExecutions({ task, zone, paused }: { task: string; zone: string | undefined; paused: boolean }) {
  const { t } = useTranslation('tasks');
  const { t: words } = useTranslation('executions');
  const [, go] = useLocation();
  const { data, error, refetch } = useLastExecutions(task);
  const shown = data?.items.slice(0, 8);
  const columns: ColumnDef<Execution>[] = [
    { header: words('scheduled'), cell: ({ row }) => <Link to={`/executions/${row.original.id}`} size="sm"><RelativeTime at={row.original.scheduled_at} {...(zone ? { zone } : {})} /></Link> },
    { header: words('state'), cell: ({ row }) => <StateBadge state={row.original.state} /> },
    { header: words('cause'), cell: ({ row }) => words(`causes.${row.original.cause}`) },
    { header: words('took'), cell: ({ row }) => <Took one={row.original} /> },
    { header: words('attempt'), cell: ({ row }) => attemptsOf(row.original).n },
    // The reasons of those that wait stand above.
    ...(shown?.some(({ ended_at: ended, reason }) => ended && reason) ? [{ header: words('why'), cell: ({ row: { original: one } }) => one.ended_at && <Why one={one} /> } satisfies ColumnDef<Execution>] : []),
  ];
  return (
    <Section title={t('last.title')} actions={<Link to={`/executions?task=${task}`} size="sm">{t('last.all')}</Link>}>
      <ErrorBox error={error} retry={() => void refetch()} />
      {data && <Waiting executions={data.items} paused={paused} />}
      {data && data.items.length > 0 && <OutcomeStrip executions={data.items} zone={zone} />}
      <RunTimes task={task} />
      <DataTable
        label={t('last.title')} items={shown} columns={columns} idOf={({ id }) => id}
        onOpen={({ id }) => go(`/executions/${id}`)} empty={<EmptyState title={t('last.none')} help={t('last.none_help')} />}
      />
    </Section>
  );
}
