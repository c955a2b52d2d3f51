import type { Condition } from '@/features/nodes/condition';
import { everyProject } from '@/features/executions/list_query';
import type { Overview } from './queries';

/** How many nodes are in each condition; a condition that no node is in is absent. The best one first. */
export function nodesByCondition({ live, draining, silent, cut_off, part_failed, cannot_plan, gone }: Overview['nodes']): [Condition, number][] {
  const well = live - draining - silent - cut_off - part_failed - cannot_plan;
  const counts: [Condition, number][] = [['alive', well], ['draining', draining], ['silent', silent], ['cut_off', cut_off], ['part_failed', part_failed], ['cannot_plan', cannot_plan], ['gone', gone]];
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

/** As many lines as the answer has firings, at most `most`: a firing that is past leaves an empty line until the next answer. */
export function linesOf<Firing extends { at: string }>(firings: Firing[], now: number, most: number): (Firing | null)[] {
  const shown = ahead(firings, now);
  return Array.from({ length: Math.min(most, firings.length) }, (_, at) => shown[at] ?? null);
}

/** The firings that lie ahead; all of them if none does, until the next answer. */
export function ahead<Firing extends { at: string }>(firings: Firing[], now: number): Firing[] {
  const left = firings.filter(({ at }) => Date.parse(at) >= now);
  return left.length > 0 ? left : firings;
}

// With the default lease of 3 s a take-over is much shorter. The answer does not contain the ttl of the lease.
const longestUsualGap = 10000;

/** Whether a take-over left the cluster without a master for long. */
export function isLongGap(gapMs: number | null): boolean {
  return gapMs !== null && gapMs > longestUsualGap;
}

const filtersOf = {
  fired: 'state=succeeded,failed,timed_out,waiting,running,stopping,retrying&', succeeded: 'state=succeeded&', failed: 'state=failed,timed_out&', late: 'late=true&', skipped: 'state=skipped&',
  cancelled: 'state=cancelled&', open: 'state=waiting,running,stopping,retrying&',
};
const sinceOf = { hour: '1h', day: '24h', month: '30d' };

/** The list of the executions that a number counts: of all projects, if `everywhere`, else of the chosen one. */
export function countedAddress(measure: keyof typeof filtersOf, reach: keyof typeof sinceOf, everywhere = false): string {
  return `/executions?${filtersOf[measure]}since=${sinceOf[reach]}${everywhere ? `&project=${encodeURIComponent(everyProject)}` : ''}`;
}
