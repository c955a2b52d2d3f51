import type { Client, Service, TriggerNode } from '@/api/types';
import { conditionOf, type Condition } from '@/features/nodes/condition';
import { servedBy } from '@/features/services/served';

/** How many nodes are in each condition; a condition that no node is in is absent. The best one first. */
export function nodesByCondition(nodes: TriggerNode[]): [Condition, number][] {
  const order: Condition[] = ['alive', 'draining', 'silent', 'cannot_plan', 'gone'];
  const counts = order.map((one): [Condition, number] => [one, nodes.filter((node) => conditionOf(node) === one).length]);
  return counts.filter(([, count]) => count > 0);
}

export function ofProject<Item extends { project: string }>(items: Item[], project: string): Item[] {
  return project === '' ? items : items.filter((item) => item.project === project);
}

/** Services whose work no client takes now. A service is known by a client or by a task, so these have tasks. */
export function unserved(services: Service[], clients: Client[]): Service[] {
  return services.filter((one) =>
    servedBy(clients.filter(({ project, service }) => project === one.project && service === one.service)) !== 'served');
}

export function unreachable(clients: Client[]): Client[] {
  return clients.filter(({ reach }) => reach === 'unreachable');
}

/** A number of a list that may go on. */
export function countText({ items, more }: { items: unknown[]; more: boolean }): string {
  return more ? `${items.length}+` : String(items.length);
}
