import { Group, Text, Tooltip } from '@mantine/core';
import { useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Execution } from '@/api/types';
import { stateColour } from '@/shared/StateBadge';
import { exact } from '@/shared/time';
import { useDuration, useZone } from '@/shared/Times';
import { tookMs } from '@/features/executions/times_of';
import { heightOf, summaryOf } from './outcomes';
import classes from './OutcomeStrip.module.css';

function useLabel(zone: string | undefined) {
  const { t, i18n } = useTranslation(['tasks', 'shared']);
  const say = useDuration();
  const shown = useZone(zone);
  return (execution: Execution) => {
    const ms = tookMs(execution);
    const values = { at: exact(execution.scheduled_at, shown, i18n.language), state: t(`shared:state.${execution.state}`), time: ms === null ? '' : say(ms) };
    return t(ms === null ? 'last.bar' : 'last.bar_took', values);
  };
}

/** The last executions as bars: the colour is the outcome, the height the time that it took. Arrows move between them. */
export function OutcomeStrip({ executions, zone }: { executions: Execution[]; zone: string | undefined }) {
  const { t } = useTranslation(['tasks', 'shared']);
  const say = useDuration();
  const label = useLabel(zone);
  const bars = useRef<HTMLDivElement>(null);
  const [chosen, choose] = useState<string | null>(null);
  const oldestFirst = [...executions].reverse();
  const longest = Math.max(0, ...executions.map((one) => tookMs(one) ?? 0));
  const { counts, medianMs } = summaryOf(executions);
  const reached = oldestFirst.some(({ id }) => id === chosen) ? chosen : oldestFirst[oldestFirst.length - 1]?.id;
  function keys(event: KeyboardEvent<HTMLDivElement>) {
    const links = [...(bars.current?.querySelectorAll<HTMLAnchorElement>('a') ?? [])];
    const at = links.indexOf(event.target as HTMLAnchorElement);
    const aims: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: links.length - 1 };
    const aim = aims[event.key];
    if (at < 0 || aim === undefined) return;
    event.preventDefault();
    links[aim]?.focus();
  }
  return (
    <>
      <div ref={bars} className={classes.strip} role="group" aria-label={t('last.strip', { count: executions.length })} onKeyDown={keys}>
        {oldestFirst.map((one) => (
          <Tooltip key={one.id} label={label(one)} events={{ hover: true, focus: true, touch: true }}>
            <Link
              href={`/executions/${one.id}`} className={classes.bar} aria-label={label(one)} tabIndex={one.id === reached ? 0 : -1} onFocus={() => choose(one.id)}
              style={{ height: `${heightOf(tookMs(one), longest)}%`, background: `var(--mantine-color-${stateColour(one.state)}-6)` }}
            />
          </Tooltip>
        ))}
      </div>
      <Group gap="md" mt="xs" mb="md">
        {counts.map(({ state, count }) => <Text key={state} size="sm">{`${count} ${t(`shared:state.${state}`)}`}</Text>)}
        {medianMs !== null && <Text size="sm" c="dimmed">{t('last.median', { time: say(medianMs) })}</Text>}
      </Group>
    </>
  );
}
