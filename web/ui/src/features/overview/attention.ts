import type { Condition } from '@/features/nodes/condition';
import type { Overview } from './queries';

/** How many nodes are in each condition; a condition that no node is in is absent. The best one first. */
export function nodesByCondition({ live, draining, silent, cannot_plan, gone }: Overview['nodes']): [Condition, number][] {
  const well = live - draining - silent - cannot_plan;
  const counts: [Condition, number][] = [['alive', well], ['draining', draining], ['silent', silent], ['cannot_plan', cannot_plan], ['gone', gone]];
  return counts.filter(([, count]) => count > 0);
}

/** A number that may be a bound. */
export function countText({ count, more }: { count: number; more: boolean }): string {
  return more ? `${count}+` : String(count);
}

/** Where the failures of a task are: its open dead letters, or its failed executions once all of them are dealt with. */
export function failuresAddress({ task, open }: { task: string; open: number }): string {
  return open > 0 ? `/dead-letters?task=${task}` : `/executions?task=${task}&state=failed,timed_out`;
}

/** The firings that lie ahead; all of them if none does, until the next answer. */
export function ahead<Firing extends { at: string }>(firings: Firing[], now: number): Firing[] {
  const left = firings.filter(({ at }) => Date.parse(at) >= now);
  return left.length > 0 ? left : firings;
}
