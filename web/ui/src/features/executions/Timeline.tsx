import { Group, Progress, Text, Timeline as MantineTimeline } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Attempt, ExecutionWithAttempts } from '@/api/types';
import { shortInstance } from '@/shared/instance_name';
import { Reason } from '@/shared/Reason';
import { StateBadge } from '@/shared/StateBadge';
import { between } from '@/shared/time';
import { Duration, ExactTime, useDuration } from '@/shared/Times';
import { type Moment, momentsOf } from './moments';
import { useNodeNames } from './queries';

function Where({ attempt }: { attempt: Attempt }) {
  const { t } = useTranslation('executions');
  const { client, node } = attempt;
  const names = useNodeNames();
  const words = [client && t('on_client', { client: shortInstance(client) }), node && t('by_node', { node: names.get(node) ?? shortInstance(node) })];
  return <Text size="sm" c="dimmed" title={[client, node].filter(Boolean).join('\n')}>{words.filter(Boolean).join(' · ')}</Text>;
}

function Details({ moment: { name, attempt, wait, stop } }: { moment: Moment }) {
  const { t } = useTranslation('executions');
  const say = useDuration();
  if (wait && name === 'wait_begins') return <Text size="sm" c="dimmed"><Reason text={wait.reason} /></Text>;
  const waited = wait && between(wait.since_at, wait.until_at);
  if (waited !== null && waited !== undefined) return <Text size="sm" c="dimmed">{t('waited', { time: say(waited) })}</Text>;
  if (stop) return <Text size="sm" c="dimmed">{t(`stop_cause.${stop.cause}`)}</Text>;
  if (!attempt) return null;
  if (name === 'started') {
    return (
      <>
        <Where attempt={attempt} />
        {attempt.cause !== 'first' && <Text size="sm">{t(`attempt_cause.${attempt.cause}`)}</Text>}
        {attempt.outcome === 'running' && attempt.progress !== null && (
          <Group gap="xs" mt={4}>
            <Progress value={attempt.progress} aria-label={t('progress')} w={240} />
            <Text size="sm">{t('percent', { n: attempt.progress })}</Text>
          </Group>
        )}
      </>
    );
  }
  return (
    <>
      <Group gap="xs">
        {attempt.outcome && <StateBadge state={attempt.outcome} />}
        <Text size="sm" c="dimmed" component="span"><Duration ms={between(attempt.started_at, attempt.finished_at)} /></Text>
      </Group>
      {attempt.error && <Text size="sm" c="red" style={{ whiteSpace: 'pre-wrap' }}><Reason text={attempt.error} /></Text>}
    </>
  );
}

export function Timeline({ one }: { one: ExecutionWithAttempts }) {
  const { t } = useTranslation('executions');
  const moments = momentsOf(one);
  const say = useDuration();
  // Seconds do not tell a short execution's times apart.
  const after = ({ at }: Moment) => (Date.parse(at) > Date.parse(one.scheduled_at) ? ` · ${t('after_scheduled', { time: say(Date.parse(at) - Date.parse(one.scheduled_at)) })}` : '');
  const past = moments.filter(({ at }) => Date.parse(at) <= Date.now()).length;
  return (
    <MantineTimeline active={past - 1} bulletSize={14} lineWidth={2}>
      {moments.map((moment) => (
        <MantineTimeline.Item key={`${moment.name} ${(moment.attempt ?? moment.stop)?.attempt ?? ''} ${moment.wait?.since_at ?? ''}`} title={t(`moment.${moment.name}`, { attempt: (moment.attempt ?? moment.stop)?.attempt ?? 0 })}>
          <Text size="xs" c="dimmed" component="div"><ExactTime at={moment.at} />{after(moment)}</Text>
          <Details moment={moment} />
        </MantineTimeline.Item>
      ))}
    </MantineTimeline>
  );
}
