import { Stack, Text } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import type { Execution } from '@/api/types';
import { Instance } from '@/shared/Instance';
import { Link } from '@/shared/Link';
import { StateBadge } from '@/shared/StateBadge';
import { Duration, RelativeTime } from '@/shared/Times';
import { attemptsOf } from './attempts';
import { lagOf } from './times_of';
import { Took } from './Took';
import { Why } from './Why';

/** Of an execution, as a list and its own page say it. */
export function useAttempts(): (one: Execution | Parameters<typeof attemptsOf>[0]) => string {
  const { t } = useTranslation('executions');
  return (one) => {
    const { n, of, deaths } = attemptsOf(one);
    return deaths > 0 ? `${t('attempt_of', { n, of })} · ${t('deaths', { count: deaths })}` : t('attempt_of', { n, of });
  };
}

function Name({ one }: { one: Execution }) {
  const { t } = useTranslation('executions');
  const shard = one.shard_total > 1 && one.parent ? ` · ${t('shard')} ${t('shard_of', { n: one.shard_index + 1, of: one.shard_total })}` : '';
  return (
    <Stack gap={0}>
      <Link to={`/executions/${one.id}`} fw={600} size="sm">{one.task_name ?? one.task}</Link>
      <Text size="xs" c="dimmed">{`${one.project}${shard}`}</Text>
    </Stack>
  );
}

/** One that runs another again has its scheduled time, which may be of the day before. */
function Scheduled({ one: { cause, scheduled_at: at, created_at: again } }: { one: Execution }) {
  const { t } = useTranslation('executions');
  if (cause !== 'rerun') return <RelativeTime at={at} />;
  return (
    <Stack gap={0}>
      <RelativeTime at={at} />
      <Text size="xs" c="dimmed" component="span">{t('causes.rerun')}{' · '}<RelativeTime at={again} /></Text>
    </Stack>
  );
}

export function useColumns(): ColumnDef<Execution>[] {
  const { t } = useTranslation('executions');
  const attempts = useAttempts();
  return [
    { id: 'task', header: t('task'), cell: ({ row }) => <Name one={row.original} />, enableHiding: false },
    { id: 'state', header: t('state'), cell: ({ row }) => <StateBadge state={row.original.state} /> },
    { id: 'scheduled', header: t('scheduled'), cell: ({ row }) => <Scheduled one={row.original} /> },
    { id: 'lag', header: t('lag'), cell: ({ row }) => <Duration ms={lagOf(row.original)} /> },
    { id: 'took', header: t('took'), cell: ({ row }) => <Took one={row.original} /> },
    { id: 'cause', header: t('cause'), cell: ({ row }) => t(`causes.${row.original.cause}`) },
    { id: 'attempt', header: t('attempt'), cell: ({ row }) => attempts(row.original) },
    { id: 'client', header: t('client'), cell: ({ row: { original: { first_attempt: { client } } } }) => (client ? <Instance name={client} /> : '–') },
    { id: 'why', header: t('why'), cell: ({ row }) => <Why one={row.original} /> },
  ];
}
