import type { Attempt, Execution } from '@/api/types';
import { between } from '@/shared/time';

type Begun = Pick<Attempt, 'started_at'>;

/** When its handler first began; null before. */
export function beganAt({ first_attempt: first, attempts }: { first_attempt?: Begun; attempts?: Begun[] }): string | null {
  return (attempts ? attempts.find(({ started_at }) => started_at)?.started_at : first?.started_at) ?? null;
}

/** From its first beginning to its end, in milliseconds; null before. */
export function tookMs(one: Pick<Execution, 'ended_at'> & Parameters<typeof beganAt>[0]): number | null {
  return between(beganAt(one), one.ended_at);
}

/** How late it began, in milliseconds. One that is run again keeps the scheduled time of the first, but nobody wanted it before it was asked for. */
export function lagOf(one: Pick<Execution, 'cause' | 'scheduled_at' | 'created_at'> & Parameters<typeof beganAt>[0]): number | null {
  return between(one.cause === 'rerun' ? one.created_at : one.scheduled_at, beganAt(one));
}
