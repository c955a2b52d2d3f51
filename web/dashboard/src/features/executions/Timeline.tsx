import { Group, Progress, Text, Timeline as MantineTimeline } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Attempt, ExecutionWithAttempts } from '@/api/types';
import { StateBadge } from '@/shared/StateBadge';
import { between } from '@/shared/time';
import { Duration, ExactTime } from '@/shared/Times';
import { type Moment, momentsOf } from './moments';

function Where({ attempt }: { attempt: Attempt }) {
  const { t } = useTranslation('executions');
  const words = [attempt.client && t('on_client', { client: attempt.client }), attempt.node && t('by_node', { node: attempt.node })];
  return <Text size="sm" c="dimmed">{words.filter(Boolean).join(' · ')}</Text>;
}

function Details({ moment: { name, attempt } }: { moment: Moment }) {
  const { t } = useTranslation('executions');
  if (!attempt) return null;
  if (name === 'started') {
    return (
      <>
        <Where attempt={attempt} />
        {attempt.cause !== 'first' && <Text size="sm">{t(`attempt_cause.${attempt.cause}`)}</Text>}
        {attempt.outcome === 'running' && attempt.progress !== null && <Progress value={attempt.progress} aria-label={t('progress')} mt={4} maw={240} />}
      </>
    );
  }
  return (
    <>
      <Group gap="xs">
        {attempt.outcome && <StateBadge state={attempt.outcome} />}
        <Text size="sm" c="dimmed" component="span"><Duration ms={between(attempt.started_at, attempt.finished_at)} /></Text>
      </Group>
      {attempt.error && <Text size="sm" c="red">{attempt.error}</Text>}
    </>
  );
}

export function Timeline({ one }: { one: ExecutionWithAttempts }) {
  const { t } = useTranslation('executions');
  const moments = momentsOf(one);
  const past = moments.filter(({ at }) => Date.parse(at) <= Date.now()).length;
  return (
    <MantineTimeline active={past - 1} bulletSize={14} lineWidth={2}>
      {moments.map((moment) => (
        <MantineTimeline.Item key={`${moment.name} ${moment.attempt?.attempt ?? ''}`} title={t(`moment.${moment.name}`, { attempt: moment.attempt?.attempt ?? 0 })}>
          <Text size="xs" c="dimmed" component="div"><ExactTime at={moment.at} /></Text>
          <Details moment={moment} />
        </MantineTimeline.Item>
      ))}
    </MantineTimeline>
  );
}
