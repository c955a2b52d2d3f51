import type { Client, Service } from '@/api/types';

export type Served = 'served' | 'unreachable' | 'nobody';
export type Counts = Service['clients'];
export type ClientState = keyof Counts;

/** From the best to the worst. */
export const clientStates: ClientState[] = ['up', 'pending', 'draining', 'drained', 'unreachable'];

export function totalOf(counts: Counts): number {
  return clientStates.reduce((sum, state) => sum + counts[state], 0);
}

/** Whether a service has a client that can be given work. */
export function servedBy(counts: Counts): Served {
  if (totalOf(counts) === 0) return 'nobody';
  // A client that its home has not called yet will probably get work in a moment.
  return counts.up + counts.pending > 0 ? 'served' : 'unreachable';
}

/** The state in which a client is counted. */
export function stateOf({ drained, state, reach }: Pick<Client, 'drained' | 'state' | 'reach'>): ClientState {
  if (drained !== null) return 'drained';
  if (state === 'draining') return 'draining';
  return reach === 'reachable' ? 'up' : reach;
}

// The error of the estimate is the transit time of the quickest of the last heartbeats.
const leastOffset = 100;

/** Whether the clock of a client is ahead or behind by an amount that matters; undefined if not, or if the offset is unknown. */
export function clientClock(offset: number | null | undefined): 'ahead' | 'behind' | undefined {
  if (offset === null || offset === undefined || Math.abs(offset) < leastOffset) return undefined;
  return offset > 0 ? 'ahead' : 'behind';
}

/** What a filter of the list of services finds. */
export type Only = 'unserved' | 'unreachable' | 'paused';
export const onlys: Only[] = ['unserved', 'unreachable', 'paused'];

export function isWanted(one: Service, only: Only): boolean {
  switch (only) {
    case 'paused': return one.paused !== null;
    case 'unreachable': return one.clients.unreachable > 0;
    case 'unserved': return servedBy(one.clients) !== 'served';
  }
}
