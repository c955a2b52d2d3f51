import { Alert, Text } from '@mantine/core';
import { Fragment } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import type { ExecutionWithAttempts } from '@/api/types';
import { Link } from '@/shared/Link';
import { RelativeTime } from '@/shared/Times';
import { useAhead, useTaskOf } from './queries';
import { WhyWaits } from './WhyWaits';

/** Which executions of the task are under way, and how many wait before this one. */
function Queue({ one }: { one: ExecutionWithAttempts }) {
  const { t } = useTranslation(['executions', 'shared']);
  const { data: task } = useTaskOf(one.task);
  const { data: ahead } = useAhead(one);
  const bound = task?.concurrency;
  // The API has no list of the executions with the same key.
  if (!ahead || !bound || !('key' in bound) || bound.key) return null;
  const { running, before, more } = ahead;
  return (
    <Text size="sm" component="div">
      {t('queue.allows', { limit: bound.limit })}
      {running.length > 0 && <>{t('queue.run', { count: running.length })}{running.map((each, place) => <Fragment key={each.id}>{place > 0 && t('shared:comma')}<Link to={`/executions/${each.id}`} size="sm"><RelativeTime at={each.started_at ?? each.scheduled_at} plain /></Link></Fragment>)}</>}
      {t('queue.before', { count: before, n: more ? `${before}+` : before })}
      {running.length > 0 && <div><Trans t={t} i18nKey="queue.go_on" components={{ edit: <Link to={`/tasks/${one.task}/edit`} size="sm">{null}</Link> }} /></div>}
    </Text>
  );
}

/** Executions whose handlers have not returned, and so keep this one back. A person can end the wait on their pages. */
function Behind({ ids }: { ids: string[] }) {
  const { t } = useTranslation(['executions', 'shared']);
  if (ids.length === 0) return null;
  return (
    <Text size="sm" component="div">
      {t('kept_back_by', { count: ids.length })}
      {ids.map((id, place) => <Fragment key={id}>{place > 0 && t('shared:comma')}<Link to={`/executions/${id}`} size="sm">{id}</Link></Fragment>)}
    </Text>
  );
}

/** Why an execution that has not ended does not go on. */
export function Waits({ one }: { one: ExecutionWithAttempts }) {
  const { t } = useTranslation('executions');
  if (!one.reason || one.ended_at) return null;
  const limited = one.waits.some((wait) => wait.until_at === null && wait.for === 'task_concurrency');
  return (
    <Alert color="yellow" title={t('why_waits')} mb="md">
      <Text size="sm" component="div"><WhyWaits text={one.reason} project={one.project} /></Text>
      <Behind ids={one.kept_back_by} />
      {limited && <Queue one={one} />}
    </Alert>
  );
}
