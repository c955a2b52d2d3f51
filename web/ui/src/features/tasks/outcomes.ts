import type { Execution, State } from '@/api/types';
import { tookMs } from '@/features/executions/times_of';

export interface Summary {
  counts: { state: State; count: number }[];
  /** Of those that succeeded; null if none did. */
  medianMs: number | null;
}

/** How many ended how, the most frequent first. */
export function summaryOf(executions: Execution[]): Summary {
  const counts = new Map<State, number>();
  for (const { state } of executions) counts.set(state, (counts.get(state) ?? 0) + 1);
  const times = executions.filter(({ state }) => state === 'succeeded').map(tookMs).filter((ms) => ms !== null).sort((a, b) => a - b);
  return {
    counts: [...counts].map(([state, count]) => ({ state, count })).sort((a, b) => b.count - a.count),
    medianMs: times[Math.floor(times.length / 2)] ?? null,
  };
}

/** The height of a bar in percent: by the logarithm, so that one long run does not flatten the others. */
export function heightOf(ms: number | null, longestMs: number): number {
  if (ms === null || longestMs <= 0) return 20;
  return Math.round(20 + (80 * Math.log1p(ms)) / Math.log1p(longestMs));
}

/** Executions that have not ended and of which the server says why. */
export function waitingOf(executions: Execution[]): Execution[] {
  return executions.filter(({ ended_at, reason }) => ended_at === null && reason !== null && reason !== '');
}

/** Each reason once, with the executions that it holds for, in their order. */
export function byReason(executions: Execution[]): { reason: string; executions: Execution[] }[] {
  const groups = new Map<string, Execution[]>();
  for (const one of executions) {
    // Executions that began to wait at different times have the same reason.
    const reason = (one.reason ?? '').replace(/; it waits since \S+$/, '');
    groups.set(reason, [...(groups.get(reason) ?? []), one]);
  }
  return [...groups].map(([reason, some]) => ({ reason, executions: some }));
}
