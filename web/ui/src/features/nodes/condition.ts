import type { TriggerNode } from '@/api/types';

export type Condition = 'alive' | 'draining' | 'silent' | 'gone' | 'cannot_plan';

/** The one thing to know about a node: the worst that is true of it. */
export function conditionOf(node: Pick<TriggerNode, 'alive' | 'silent' | 'draining' | 'cannot_plan'>): Condition {
  if (!node.alive) return 'gone';
  if (node.silent) return 'silent';
  if (node.cannot_plan !== null) return 'cannot_plan';
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
