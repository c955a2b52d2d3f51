import type { DeadLetter, Execution } from '@/api/types';
import type { Range } from './range';

const day = 86400000;

/**
 * When the executions were scheduled that ran again in the range, but belong to an earlier time; null if there are none. A run again
 * keeps the scheduled time of the one that failed, so the list of the range lacks it. It may have waited for a day.
 */
export function rerunsBefore(retried: Pick<DeadLetter, 'scheduled_at' | 'resolved_at'>[], { begin, end }: Range): { from: string; until: string } | null {
  const times = retried.flatMap(({ scheduled_at: scheduled, resolved_at: at }) => {
    const again = at === null ? NaN : Date.parse(at);
    return Date.parse(scheduled) < begin && again >= begin - day && again < end ? [Date.parse(scheduled)] : [];
  });
  if (times.length === 0) return null;
  const latest = Math.min(begin, Math.max(...times) + 1);
  return { from: new Date(Math.min(...times)).toISOString(), until: new Date(latest).toISOString() };
}

/** When an execution is due that has not begun. One that runs another again is due from its request on. */
export function plannedAt({ cause, scheduled_at, created_at }: Pick<Execution, 'cause' | 'scheduled_at' | 'created_at'>): string {
  return cause === 'rerun' ? created_at : scheduled_at;
}
