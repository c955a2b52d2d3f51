import type { Execution } from '@/api/types';
import { between } from '@/shared/time';

/** The time from the first beginning of an execution to its end, in milliseconds; null before the end. */
export function tookMs(one: Pick<Execution, 'started_at' | 'ended_at'>): number | null {
  return between(one.started_at, one.ended_at);
}

/** How late an execution began, in milliseconds. A rerun has the scheduled time of the failed execution, but is due only from its request on. */
export function lagOf(one: Pick<Execution, 'cause' | 'scheduled_at' | 'created_at' | 'started_at'>): number | null {
  return between(one.cause === 'rerun' ? one.created_at : one.scheduled_at, one.started_at);
}
