import type { Client } from '@/api/types';

export type Served = 'served' | 'unreachable' | 'nobody';

type Taking = Pick<Client, 'state' | 'reach' | 'drained'>;

/** Whether a service has a client that can be given work. */
export function servedBy(clients: Taking[]): Served {
  if (clients.length === 0) return 'nobody';
  return clients.some(({ state, reach, drained }) => state === 'up' && drained === null && reach !== 'unreachable') ? 'served' : 'unreachable';
}

/** The slots and handlers of all clients together. */
export function capacityOf(clients: Pick<Client, 'slots' | 'handlers'>[]): { slots: number; handlers: string[] } {
  return {
    slots: clients.reduce((sum, { slots }) => sum + slots, 0),
    handlers: [...new Set(clients.flatMap(({ handlers }) => handlers))].sort(),
  };
}
