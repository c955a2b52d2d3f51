import type { Client } from '@/api/types';

type Counted = Pick<Client, 'slots' | 'live' | 'state' | 'drained'>;

const takesWork = ({ state, drained }: Counted) => state === 'up' && drained === null;

/** The free slots of the clients whose homes told them, of all the slots that these have; null if none did. One that drains has none free. */
export function freeSlots(clients: Counted[]): { free: number; slots: number } | null {
  const told = clients.filter(({ live }) => live !== null);
  if (told.length === 0) return null;
  return {
    free: told.filter(takesWork).reduce((sum, { live }) => sum + (live?.free_slots ?? 0), 0),
    slots: told.reduce((sum, { slots }) => sum + slots, 0),
  };
}

/** How often the figures are read: they move on without an event, and a long list is dear. */
export function figuresEvery(clients: number): number {
  return clients > 500 ? 30000 : 5000;
}
