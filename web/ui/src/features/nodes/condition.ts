import type { TriggerNode } from '@/api/types';

export type Condition = 'alive' | 'draining' | 'silent' | 'gone' | 'cannot_plan' | 'part_failed' | 'cut_off';

/** The one thing to know about a node: the worst that is true of it. */
export function conditionOf(node: Pick<TriggerNode, 'alive' | 'silent' | 'draining' | 'cannot_plan' | 'failed_parts' | 'contact'>): Condition {
  if (!node.alive) return 'gone';
  if (node.silent) return 'silent';
  if (node.cannot_plan !== null) return 'cannot_plan';
  if (node.failed_parts.length > 0) return 'part_failed';
  if (node.contact === 'cut_off') return 'cut_off';
  return node.draining ? 'draining' : 'alive';
}

export function longestStep(node: Pick<TriggerNode, 'loops'>): TriggerNode['loops'][number] | undefined {
  return [...node.loops].sort((a, b) => b.longest_step_ms - a.longest_step_ms)[0];
}

/** Without the dead processes whose name a live node has: a node that was started anew is there once. */
export function present<Node extends Pick<TriggerNode, 'name' | 'alive'>>(nodes: Node[]): Node[] {
  const live = new Set(nodes.filter(({ alive }) => alive).map(({ name }) => name));
  return nodes.filter(({ name, alive }) => alive || !live.has(name));
}

/** By how much a clock is wrong, for people: not at all below ten milliseconds. */
export function clockOf(offset: number): 'ahead' | 'behind' | 'right' {
  if (Math.abs(offset) < 10) return 'right';
  return offset > 0 ? 'ahead' : 'behind';
}

/** The versions of the live nodes, each with their number, if there are several: an upgrade is under way. */
export function versionsOf(nodes: Pick<TriggerNode, 'alive' | 'version'>[]): { version: string; nodes: number }[] {
  const counts = new Map<string, number>();
  for (const { alive, version } of nodes) if (alive) counts.set(version, (counts.get(version) ?? 0) + 1);
  if (counts.size < 2) return [];
  return [...counts].map(([version, count]) => ({ version, nodes: count })).sort((a, b) => a.version.localeCompare(b.version));
}
