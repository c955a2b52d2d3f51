import { describe, expect, it } from 'vitest';
import { readPages } from '../src/api/pages';
import type { Client, Service, TriggerNode } from '../src/api/types';
import { countText, nodesByCondition, ofProject, unserved } from '../src/features/overview/attention';

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
