import { describe, expect, it } from 'vitest';
import { readPages, readWanted } from '../src/api/pages';
import { stepsOf } from '../src/features/overview/steps';
import { ahead, countedAddress, countText, failuresAddress, isLongGap, linesOf, nodesByCondition } from '../src/features/overview/attention';
import { seriesOf, type Span } from '../src/features/overview/series';
import { alone } from '../src/shared/gaps';

describe('readPages', () => {
  const pages = (of: number[][]) => async (after: string | undefined) => {
    const at = Number(after ?? 0);
    return { items: of[at] ?? [], next: at + 1 < of.length ? String(at + 1) : null };
  };
  it('reads to the end', async () => {
    expect(await readPages(pages([[1, 2], [], [3]]), 10)).toEqual({ items: [1, 2, 3], more: false });
  });
  it('collects a page of the wanted items, and continues after it', async () => {
    const read = pages([[1, 2], [3, 4], [5]]);
    const odd = (n: number) => n % 2 === 1;
    expect(await readWanted(read, odd, undefined, 2)).toEqual({ items: [1, 3], next: '2' });
    expect(await readWanted(read, odd, '2', 2)).toEqual({ items: [5], next: null });
    expect(await readWanted(read, () => false, undefined, 2, 2)).toEqual({ items: [], next: '2' });
  });
  it('stops at the most, and says whether there are more', async () => {
    expect(await readPages(pages([[1, 2], [3]]), 2)).toEqual({ items: [1, 2], more: true });
    expect(await readPages(pages([[1, 2]]), 2)).toEqual({ items: [1, 2], more: false });
    expect(await readPages(pages([[1, 2, 3]]), 2)).toEqual({ items: [1, 2], more: true });
    expect(await readPages(pages([[1], [2], [3]]), 10, 2)).toEqual({ items: [1, 2], more: true });
  });
});

describe('overview', () => {
  it('counts nodes by their condition, and leaves out conditions that none has', () => {
    expect(nodesByCondition({ live: 4, draining: 1, silent: 0, cut_off: 0, part_failed: 0, cannot_plan: 0, gone: 2 })).toEqual([['alive', 3], ['draining', 1], ['gone', 2]]);
    expect(nodesByCondition({ live: 0, draining: 0, silent: 0, cut_off: 0, part_failed: 0, cannot_plan: 0, gone: 0 })).toEqual([]);
  });
  it('says when a count ended at its bound', () => {
    expect(countText({ count: 1, more: false })).toBe('1');
    expect(countText({ count: 10000, more: true })).toBe('10000+');
  });
  it('shows firings that lie ahead, and all of them when none does', () => {
    const at = [1000, 2000, 3000].map((ms) => ({ at: new Date(ms).toISOString() }));
    expect(ahead(at, 1500)).toEqual(at.slice(1));
    expect(ahead(at, 9000)).toEqual(at);
  });
  it('keeps the number of lines while firings pass', () => {
    const at = [1000, 2000, 3000].map((ms) => ({ at: new Date(ms).toISOString() }));
    expect(linesOf(at, 1500, 6)).toEqual([at[1], at[2], null]);
    expect(linesOf(at, 500, 2)).toEqual([at[0], at[1]]);
  });
  it('links a number to the list of the executions that it counts', () => {
    expect(countedAddress('failed', 'day')).toBe('/executions?state=failed,timed_out&since=24h');
    expect(countedAddress('open', 'hour')).toBe('/executions?state=waiting,running,stopping,retrying&since=1h');
    expect(countedAddress('fired', 'month')).toBe('/executions?state=succeeded,failed,timed_out,waiting,running,stopping,retrying&since=30d');
    expect(countedAddress('late', 'hour', true)).toBe('/executions?late=true&since=1h&project=%2F');
    expect(countedAddress('late', 'day')).toBe('/executions?late=true&since=24h');
  });
  it('warns of a take-over that left the cluster without a master for long', () => {
    expect([null, 10000, 10001].map(isLongGap)).toEqual([false, false, true]);
  });
  it('leads to the failures of a task that wait for somebody, or else to all of them', () => {
    expect(failuresAddress({ task: '7', open: 2 })).toBe('/dead-letters?task=7');
    expect(failuresAddress({ task: '7', open: 0 })).toBe('/executions?task=7&state=failed,timed_out');
  });
});

describe('the first steps', () => {
  it('are done in any order', () => {
    expect(stepsOf({ nodes: 1, clients: 0, tasks: 3 }).map(({ done }) => done)).toEqual([true, false, true]);
  });
});

describe('the series of the charts', () => {
  it('have a dot for each value that no line shows', () => {
    expect(alone([1, null, 2, 3, null, 4])).toEqual([0, 5]);
    expect(alone([null, 0, null])).toEqual([1]);
    expect(alone([1, 2])).toEqual([]);
  });
  const span = (since: string, fired: number) => ({ since, fired, lag_p99_ms: fired === 0 ? null : 2.5 }) as Span;
  it('has a gap where a span was not counted, and ends before the present span', () => {
    const series = seriesOf([span('2026-11-26T00:00:00.000000Z', 3), span('2026-11-26T00:02:00.000000Z', 0), span('2026-11-26T00:03:00.000000Z', 1)], 60, Date.parse('2026-11-26T00:03:59Z'));
    expect(series.times).toEqual([1795651200, 1795651260, 1795651320]);
    expect(series.values('fired')).toEqual([3, null, 0]);
    expect(series.values('lag_p99_ms')).toEqual([2.5, null, null]);
  });
  it('is empty before the first count', () => {
    expect(seriesOf([], 60, 0).times).toEqual([]);
  });
});
