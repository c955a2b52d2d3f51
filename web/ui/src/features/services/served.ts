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
  // One that its home has not called yet may well be given work in a moment.
  return counts.up + counts.pending > 0 ? 'served' : 'unreachable';
}

/** As which of the counts a client counts. */
export function stateOf({ drained, state, reach }: Pick<Client, 'drained' | 'state' | 'reach'>): ClientState {
  if (drained !== null) return 'drained';
  if (state === 'draining') return 'draining';
  return reach === 'reachable' ? 'up' : reach;
}

// The estimate is wrong by the time that the quickest of the last heartbeats was on its way.
const leastOffset = 100;

/** How the clock of a client is wrong, as far as it matters; undefined if it is right, or tells no time. */
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
