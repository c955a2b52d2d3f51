import { Alert, Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useParams } from 'wouter';
import type { ExecutionWithAttempts } from '@/api/types';
import { zoneOf } from '@/features/tasks/zone_of';
import { ErrorBox } from '@/shared/ErrorBox';
import { Facts } from '@/shared/Facts';
import { Instance } from '@/shared/Instance';
import { shortInstance } from '@/shared/instance_name';
import { Link } from '@/shared/Link';
import { PageHeader } from '@/shared/PageHeader';
import { usePreferences } from '@/shared/preferences';
import { Section } from '@/shared/Section';
import { StateBadge } from '@/shared/StateBadge';
import { Duration, ExactTime, TaskZone } from '@/shared/Times';
import { useAttempts } from './columns';
import { ExecutionActions } from './ExecutionActions';
import { Failure } from './Failure';
import { Given } from './Given';
import { GivenUp } from './GivenUp';
import { LastSuccess } from './LastSuccess';
import { LateReport } from './LateReport';
import { useExecution, useTaskOf } from './queries';
import { Result } from './Result';
import { Shards } from './Shards';
import { lagOf } from './times_of';
import { Timeline } from './Timeline';
import { Took } from './Took';
import { Track } from './Track';
import { Waits } from './Waits';

function ExecutionFacts({ one }: { one: ExecutionWithAttempts }) {
  const { t } = useTranslation('executions');
  const attempts = useAttempts();
  const client = one.attempts.at(-1)?.client;
  const facts = [
    { label: t('task'), value: <Link to={`/tasks/${one.task}`} size="sm">{one.task_name ?? one.task}</Link> },
    { label: t('version'), value: one.task_version },
    { label: t('cause'), value: t(`causes.${one.cause}`) },
    { label: t('attempt'), value: attempts(one) },
    { label: t('lag'), value: <Duration ms={lagOf(one)} /> },
    { label: t('took'), value: <Took one={one} /> },
  ];
  if (client) facts.push({ label: t('client'), value: <Instance name={client} /> });
  if (one.rerun_of) facts.push({ label: t('rerun_of'), value: <Link to={`/executions/${one.rerun_of}`} size="sm">{one.rerun_of}</Link> });
  if (one.parent) facts.push({ label: t('shard'), value: <Link to={`/executions/${one.parent}`} size="sm">{t('shard_of', { n: one.shard_index + 1, of: one.shard_total })}</Link> });
  return <Facts facts={facts} />;
}

/** One that runs another again has its scheduled time, too: what sets it apart comes first. */
function Summary({ one }: { one: ExecutionWithAttempts }) {
  const { t } = useTranslation('executions');
  const named = t('execution', { id: one.id });
  if (!one.rerun_of) return <>{named}{' · '}<ExactTime at={one.scheduled_at} /></>;
  return <>{named}{' · '}{t('again_at')}{' '}<ExactTime at={one.created_at} />{' · '}{t('again_for')}{' '}<ExactTime at={one.scheduled_at} /></>;
}

/** The zone of the schedule, for those who want times in it; none once the task is deleted. */
function useTaskZone(task: string): string | undefined {
  const { zone } = usePreferences();
  const { data } = useTaskOf(task, task !== '' && zone === 'task');
  return data && zoneOf(data);
}

export default function ExecutionPage() {
  const { t } = useTranslation('executions');
  const { id = '' } = useParams<{ id: string }>();
  const { data: one, error, refetch } = useExecution(id);
  const zone = useTaskZone(one?.task ?? '');
  if (error && !one) return <ErrorBox error={error} retry={() => void refetch()} />;
  if (!one) return <Skeleton height={320} />;
  // People look first for why it failed.
  const failed = one.attempts.at(-1)?.error !== null;
  return (
    <TaskZone.Provider value={zone}>
      <PageHeader
        title={one.task_name ?? t('execution', { id })} badge={<span aria-live="polite"><StateBadge state={one.state} /></span>}
        summary={<Summary one={one} />} actions={<ExecutionActions one={one} />}
      />
      <Waits one={one} />
      <Failure one={one} />
      {one.unresponsive && <Alert color="orange" mb="md">{t('unresponsive', { client: shortInstance(one.unresponsive.client) })}</Alert>}
      <Section title={t('facts')}><ExecutionFacts one={one} /></Section>
      {failed && <Result one={one} />}
      <Given payload={one.payload} />
      <Section title={t('timeline')}><Track one={one} /><GivenUp one={one} /><Timeline one={one} /></Section>
      <LateReport one={one} />
      <Shards of={one} />
      {!failed && <Result one={one} />}
      {one.ended_at && one.state !== 'succeeded' && <LastSuccess one={one} />}
    </TaskZone.Provider>
  );
}
