import { Alert, Code, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ExecutionWithAttempts } from '@/api/types';
import { Link } from '@/shared/Link';
import { Reason } from '@/shared/Reason';
import { StateBadge } from '@/shared/StateBadge';
import { RelativeTime } from '@/shared/Times';
import { lastLines } from './outputs';
import { canRetry } from './possible';
import { useDismissedAt, useRerunOf } from './queries';

/** Why an execution ended without success, with the last lines of its output, and whether it was run again or dismissed since. */
export function Failure({ one }: { one: ExecutionWithAttempts }) {
  const { t } = useTranslation('executions');
  const { data: rerun } = useRerunOf(one);
  const { data: dismissed } = useDismissedAt(one);
  if (!one.ended_at) return null;
  const printed = lastLines(one.attempts.at(-1)?.result);
  return (
    <>
      {one.reason && (
        <Alert color={canRetry(one) ? 'red' : 'gray'} mb="md">
          <Reason text={one.reason} />
          {canRetry(one) && printed !== '' && <Code block mt="xs" tabIndex={0} role="region" aria-label={t('stderr')}>{printed}</Code>}
        </Alert>
      )}
      {rerun && (
        <Alert color={rerun.state === 'succeeded' ? 'teal' : 'blue'} mb="md">
          <Group gap="xs"><Text size="sm">{t('rerun_as')}</Text><Link to={`/executions/${rerun.id}`} size="sm">{rerun.id}</Link><StateBadge state={rerun.state} /></Group>
        </Alert>
      )}
      {dismissed && <Alert color="gray" mb="md"><Text size="sm" component="div">{t('was_dismissed')}{' · '}<RelativeTime at={dismissed} /></Text></Alert>}
    </>
  );
}
