import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ExecutionWithAttempts } from '@/api/types';
import { useNow } from '@/shared/clock';
import { type Shown, stateColour } from '@/shared/StateBadge';
import { useDuration } from '@/shared/Times';
import classes from './Track.module.css';

/** The attempts on a line from the scheduled time to the end; what is empty between them is waiting. */
export function Track({ one }: { one: ExecutionWithAttempts }) {
  const { t } = useTranslation(['executions', 'shared']);
  const say = useDuration();
  const now = useNow();
  const attempts = one.attempts.flatMap(({ attempt, started_at: begun, finished_at: ended, outcome }) =>
    begun ? [{ attempt, begin: Date.parse(begun), end: ended ? Date.parse(ended) : Math.max(now, Date.parse(begun)), state: (outcome ?? 'running') as Shown }] : []);
  const begin = Math.min(Date.parse(one.scheduled_at), ...attempts.map((part) => part.begin));
  const end = Math.max(one.ended_at ? Date.parse(one.ended_at) : now, ...attempts.map((part) => part.end));
  if (attempts.length === 0 || end <= begin) return null;
  const percent = (ms: number) => (100 * ms) / (end - begin);
  return (
    <div className={classes.track} role="img" aria-label={t('track', { time: say(end - begin), count: attempts.length })}>
      {attempts.map((part) => (
        <Tooltip key={part.attempt} label={`${t('moment.attempt', { attempt: part.attempt })} · ${t(`shared:state.${part.state}`)} · ${say(part.end - part.begin)}`}>
          <span
            className={classes.part}
            style={{ left: `min(${percent(part.begin - begin)}%, calc(100% - 3px))`, width: `${percent(part.end - part.begin)}%`, ['--bar' as string]: `var(--mantine-color-${stateColour(part.state)}-6)` }}
          />
        </Tooltip>
      ))}
    </div>
  );
}
