import type { Attempt, Execution } from '@/api/types';
import { between } from '@/shared/time';

type Begun = Pick<Attempt, 'started_at'>;

/** When the execution's handler first began; null before that. */
export function beganAt({ first_attempt: first, attempts }: { first_attempt?: Begun; attempts?: Begun[] }): string | null {
  return (attempts ? attempts.find(({ started_at }) => started_at)?.started_at : first?.started_at) ?? null;
}

/** The time from the first beginning of an execution to its end, in milliseconds; null before the end. */
export function tookMs(one: Pick<Execution, 'ended_at'> & Parameters<typeof beganAt>[0]): number | null {
  return between(beganAt(one), one.ended_at);
}

/** How late an execution began, in milliseconds. A rerun has the scheduled time of the failed execution, but is due only from its request on. */
export function lagOf(one: Pick<Execution, 'cause' | 'scheduled_at' | 'created_at'> & Parameters<typeof beganAt>[0]): number | null {
  return between(one.cause === 'rerun' ? one.created_at : one.scheduled_at, beganAt(one));
}
