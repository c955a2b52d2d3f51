import { describe, expect, it } from 'vitest';
import { readPages } from '../src/api/pages';
import type { Client, Service, TriggerNode } from '../src/api/types';
import { failing, nextFirings, untilNext } from '../src/features/overview/firings';
import { stepsOf } from '../src/features/overview/steps';
import { countText, nodesByCondition, ofProject, unserved } from '../src/features/overview/attention';
import { seriesOf, type Span } from '../src/features/overview/series';

describe('readPages', () => {
  const pages = (of: number[][]) => async (after: string | undefined) => {
    const at = Number(after ?? 0);
    return { items: of[at] ?? [], next: at + 1 < of.length ? String(at + 1) : null };
  };
  it('reads to the end', async () => {
    expect(await readPages(pages([[1, 2], [], [3]]), 10)).toEqual({ items: [1, 2, 3], more: false });
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
    const well = { alive: true, silent: false, draining: false, cannot_plan: null } as TriggerNode;
    expect(nodesByCondition([well, { ...well, alive: false }, well])).toEqual([['alive', 2], ['gone', 1]]);
    expect(nodesByCondition([])).toEqual([]);
  });
  it('finds services whose work no client takes', () => {
    const services = ['a', 'b', 'c'].map((service) => ({ project: 'p', service, paused: null })) as Service[];
    const client = { project: 'p', service: 'a', state: 'up', reach: 'reachable' } as Client;
    const lost = { ...client, service: 'b', reach: 'unreachable' } as Client;
    const other = { ...client, project: 'q', service: 'c' } as Client;
    expect(unserved(services, [client, lost, other]).map(({ service }) => service)).toEqual(['b', 'c']);
  });
  it('keeps what is of the project', () => {
    expect(ofProject([{ project: 'a' }, { project: 'b' }], 'b')).toEqual([{ project: 'b' }]);
    expect(ofProject([{ project: 'a' }], '')).toHaveLength(1);
  });
  it('says when a list goes on', () => {
    expect(countText({ items: [1], more: false })).toBe('1');
    expect(countText({ items: [1], more: true })).toBe('1+');
  });
});

describe('what is due next', () => {
  it('is the first firing first, without tasks that have none', () => {
    const tasks = [{ id: '1', name: 'b', next_fire_at: '2026-01-01T00:00:02Z' }, { id: '2', name: 'none', next_fire_at: null }, { id: '3', name: 'a', next_fire_at: '2026-01-01T00:00:01.5Z' }];
    expect(nextFirings(tasks as unknown as Parameters<typeof nextFirings>[0]).map(({ name }) => name)).toEqual(['a', 'b']);
  });
});

describe('the list of what is due next', () => {
  it('is read again when its first firing is over, but neither too often nor never', () => {
    const at = (away: number) => untilNext(new Date(away).toISOString(), 0);
    expect([at(20000), at(-9000), at(3600000), untilNext(undefined, 0)]).toEqual([21000, 5000, 60000, 60000]);
  });
});

describe('what fails most', () => {
  it('is counted by task, with the latest error', () => {
    const letter = (task: string, error: string, at: string) => ({ task, task_name: `t${task}`, project: 'p', error, died_at: at });
    const letters = [letter('1', 'new', '2026-01-03T00:00:00Z'), letter('2', 'x', '2026-01-02T00:00:00Z'), letter('1', 'old', '2026-01-01T00:00:00Z')];
    expect(failing(letters)).toEqual([
      { task: '1', name: 't1', project: 'p', count: 2, error: 'new', at: '2026-01-03T00:00:00Z' },
      { task: '2', name: 't2', project: 'p', count: 1, error: 'x', at: '2026-01-02T00:00:00Z' },
    ]);
  });
});

describe('the first steps', () => {
  it('are done in any order', () => {
    expect(stepsOf({ nodes: 1, clients: 0, tasks: 3 }).map(({ done }) => done)).toEqual([true, false, true]);
  });
});

describe('the series of the charts', () => {
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
