import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Execution } from '../src/api/types';
import { labelledPart, memberLabels } from '../src/features/tasks/member_labels';
import { tookMs } from '../src/features/executions/times_of';
import { byReason, heightOf, summaryOf, waitingOf } from '../src/features/tasks/outcomes';

function ended(state: Execution['state'], tookS: number | null): Execution {
  const at = (s: number) => `2026-11-26T00:00:${String(s).padStart(2, '0')}.000000Z`;
  return { id: '1', state, reason: null, ended_at: at(tookS ?? 0), started_at: tookS === null ? null : at(0) } as unknown as Execution;
}

beforeAll(() => {
  vi.stubGlobal('window', { location: { origin: 'http://127.0.0.1' } });
});

describe('the strip of outcomes', () => {
  it('counts outcomes, the most frequent first, with the median of those that succeeded', () => {
    const all = [ended('failed', 50), ended('succeeded', 1), ended('succeeded', 3), ended('succeeded', 2), ended('skipped', null)];
    expect(summaryOf(all)).toEqual({ counts: [{ state: 'succeeded', count: 3 }, { state: 'failed', count: 1 }, { state: 'skipped', count: 1 }], medianMs: 2000 });
    expect(summaryOf([ended('skipped', null)]).medianMs).toBeNull();
  });
  it('has a height for each, also for one that never began', () => {
    expect(tookMs(ended('skipped', null))).toBeNull();
    expect(heightOf(null, 1000)).toBe(20);
    expect(heightOf(1000, 1000)).toBe(100);
    expect(heightOf(0, 1000)).toBe(20);
    expect(heightOf(30, 1000)).toBeGreaterThan(40);
    expect(heightOf(0, 0)).toBe(20);
  });
});

describe('what waits', () => {
  it('is what has not ended and has a reason', () => {
    const waits = { ...ended('planned', null), ended_at: null, reason: 'no client of service x' };
    expect(waitingOf([waits, { ...waits, reason: null }, { ...ended('failed', 1), reason: 'broken' }])).toEqual([waits]);
  });
  it('is grouped by its reason, whenever it began to wait', () => {
    const waits = (reason: string) => ({ ...ended('waiting', null), ended_at: null, reason });
    const groups = byReason([waits('busy; it waits since 2026-11-26T00:00:01Z'), waits('paused'), waits('busy; it waits since 2026-11-26T00:00:02Z')]);
    expect(groups.map(({ reason, executions }) => [reason, executions.length])).toEqual([['busy', 2], ['paused', 1]]);
  });
});

describe('the panel of policies', () => {
  it('names each place once, and nothing that is built in', async () => {
    const { originsOf } = await import('../src/features/tasks/PoliciesPanel');
    const task = { origins: { max_attempts: 'service', retry: 'service', max_deaths: 'task', retry_delay_ms: 'built_in' } } as never;
    expect(originsOf(task, 'retries')).toEqual(['service', 'task']);
    expect(originsOf(task, 'late')).toEqual([]);
    // On a busy machine the first import of a page takes long.
  }, 60_000);
});

describe('the label of a member that differs', () => {
  it('is that of the form, and a name of the document for what the form has no field for', () => {
    expect(labelledPart('retry.jitter_percent')).toEqual({ known: 'retry.jitter_percent', rest: '' });
    expect(labelledPart('payload.customer.id')).toEqual({ known: 'payload', rest: 'customer.id' });
    expect(labelledPart('schedule.hash_seed')).toEqual({ known: 'schedule', rest: 'hash_seed' });
    expect(labelledPart('later')).toEqual({ known: undefined, rest: 'later' });
  });
  it('is there for each member of a definition', () => {
    const members = ['name', 'project', 'service', 'handler', 'description', 'owner', 'labels', 'enabled', 'payload', 'priority', 'context', 'schedule', 'misfire', 'concurrency', 'rate', 'max_attempts', 'retry_delay_ms', 'retry', 'max_deaths', 'timeout_ms', 'stop_grace_ms', 'limits', 'routing', 'route'];
    expect(members.filter((one) => !(one in memberLabels))).toEqual([]);
  });
});
