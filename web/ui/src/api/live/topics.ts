import type { StreamEvent } from './event_stream';

// Queries that also show data of another topic: a task its pause and its next firing, a service the number of its clients.
const beside: Record<string, string[][]> = {
  services: [['tasks', 'list'], ['tasks', 'one']],
  clients: [['services', 'list']],
  executions: [['tasks', 'list'], ['tasks', 'one'], ['tasks', 'next']],
};

/** The topics that a `changed` event names; none for another event, or for one that cannot be read. */
export function topicsOf({ name, data }: Pick<StreamEvent, 'name' | 'data'>): string[] {
  if (name !== 'changed') return [];
  try {
    const { topics } = JSON.parse(data) as { topics?: unknown };
    return Array.isArray(topics) ? topics.filter((topic): topic is string => typeof topic === 'string') : [];
  } catch {
    return [];
  }
}

/** The beginnings of the query keys that these topics make stale. */
export function staleKeys(topics: Iterable<string>): string[][] {
  return [...topics].flatMap((topic) => [[topic], ...(beside[topic] ?? [])]);
}
