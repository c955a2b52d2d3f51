import type { ExecutionWithAttempts } from '@/api/types';

export type MomentName = 'created' | 'scheduled' | 'due' | 'wait_begins' | 'wait_ends' | 'started' | 'finished' | 'cancel_requested' | 'stop_requested' | 'late_report' | 'ended';

export interface Moment {
  name: MomentName;
  at: string;
  attempt?: ExecutionWithAttempts['attempts'][number];
  wait?: ExecutionWithAttempts['waits'][number];
  stop?: ExecutionWithAttempts['stops'][number];
}

// Moments of one instant stand in the order in which they happen.
const order: MomentName[] = ['created', 'scheduled', 'due', 'wait_ends', 'wait_begins', 'started', 'cancel_requested', 'stop_requested', 'finished', 'ended', 'late_report'];

/** Every time that the ledger has of an execution, the first one first. */
export function momentsOf(one: ExecutionWithAttempts): Moment[] {
  const all: (Omit<Moment, 'at'> & { at: string | null | undefined })[] = [
    { name: 'created', at: one.created_at },
    { name: 'scheduled', at: one.scheduled_at },
    { name: 'due', at: one.due_at === one.scheduled_at ? null : one.due_at },
    ...one.waits.flatMap((wait) => [
      { name: 'wait_begins' as const, at: wait.since_at, wait },
      { name: 'wait_ends' as const, at: wait.until_at, wait },
    ]),
    { name: 'cancel_requested', at: one.cancel_requested_at },
    ...one.stops.map((stop) => ({ name: 'stop_requested' as const, at: stop.requested_at, stop })),
    ...one.attempts.flatMap((attempt) => [
      { name: 'started' as const, at: attempt.started_at, attempt },
      { name: 'finished' as const, at: attempt.finished_at, attempt },
    ]),
    { name: 'ended', at: one.ended_at },
    { name: 'late_report', at: one.late_report?.reported_at },
  ];
  return all
    .filter((moment): moment is Moment => Boolean(moment.at))
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || order.indexOf(a.name) - order.indexOf(b.name));
}
