import { describe, expect, it } from 'vitest';
import { clockOf, conditionOf, longestStep, versionsOf } from '../src/features/nodes/condition';
import { figuresEvery, freeSlots } from '../src/features/services/figures';
import { momentsOf } from '../src/features/executions/moments';
import { differences } from '../src/shared/differences';
import { between, durationText, exact, relative } from '../src/shared/time';

describe('time', () => {
  it('says lengths in at most two units', () => {
    expect(durationText(12)).toEqual({ key: 'ms', n: '12' });
    expect(durationText(1500)).toEqual({ key: 's', n: '1.5' });
    expect(durationText(120000)).toEqual({ key: 'min', n: '2' });
    expect(durationText(125000)).toEqual({ key: 'min_s', n: '2', m: '5' });
    expect(durationText(3 * 3600000 + 60000)).toEqual({ key: 'h_min', n: '3', m: '1' });
    expect(durationText(50 * 3600000)).toEqual({ key: 'd_h', n: '2', m: '2' });
  });
  it('says how far away a time is', () => {
    expect(relative(60000, 0, 'en')).toBe('in 1 minute');
    expect(relative(0, 2 * 86400000, 'en')).toBe('2 days ago');
    expect(relative(0, 0, 'en')).toBe('now');
  });
  it('shows a time in a zone, and in UTC where the zone is not known', () => {
    expect(exact('2026-01-01T00:00:00.000000Z', 'Asia/Shanghai', 'en')).toContain('08:00:00');
    expect(exact('2026-01-01T00:00:00.000000Z', 'No/Where', 'en')).toContain('00:00:00');
  });
  it('shows what is no time as it is', () => {
    expect(exact('soon', undefined, 'en')).toBe('soon');
  });
  it('knows no length without both ends', () => {
    expect(between(null, '2026-01-01T00:00:00Z')).toBeNull();
    expect(between('2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z')).toBe(1000);
  });
});

describe('differences', () => {
  it('names the members that differ', () => {
    expect(differences({ a: 1, b: { c: 1, d: [1] } }, { a: 1, b: { c: 2, d: [1] }, e: 3 })).toEqual([
      { field: 'b.c', before: 1, after: 2 },
      { field: 'e', before: undefined, after: 3 },
    ]);
  });
});

describe('nodes', () => {
  it('shows the worst that is true', () => {
    const well = { alive: true, silent: false, draining: false, cannot_plan: null };
    expect(conditionOf(well)).toBe('alive');
    expect(conditionOf({ ...well, draining: true, silent: true })).toBe('silent');
    expect(conditionOf({ ...well, alive: false, silent: true })).toBe('gone');
  });
  it('finds the slowest loop', () => {
    const loop = { name: 'a', longest_step_ms: 1, longest_step_wall_ms: 1, part: '' };
    expect(longestStep({ loops: [loop, { ...loop, name: 'b', longest_step_ms: 5 }] })?.name).toBe('b');
    expect(longestStep({ loops: [] })).toBeUndefined();
  });
});

describe('clocks and versions of nodes', () => {
  it('calls a clock wrong from ten milliseconds on', () => {
    expect([9, -9, 10, -10].map(clockOf)).toEqual(['right', 'right', 'ahead', 'behind']);
  });
  it('counts the versions of live nodes while there are several', () => {
    const of = (version: string, alive = true) => ({ version, alive });
    expect(versionsOf([of('0.2'), of('0.2'), of('0.1', false)])).toEqual([]);
    expect(versionsOf([of('0.2'), of('0.1'), of('0.2')])).toEqual([{ version: '0.1', nodes: 1 }, { version: '0.2', nodes: 2 }]);
  });
});

describe('the figures of clients', () => {
  const live = (free_slots: number) => ({ heard_ms: 1, answered_ms: null, free_slots, in_flight: 0, waiting: 0, clock_offset_ms: null });
  it('adds up what homes told, and leaves out the clients of those that did not', () => {
    const up = { state: 'up' as const, drained: null };
    const counted = [{ ...up, slots: 8, live: live(3) }, { ...up, slots: 4, live: null }, { ...up, slots: 2, live: live(2) }];
    expect(freeSlots(counted)).toEqual({ free: 5, slots: 10 });
    expect(freeSlots([{ ...up, slots: 4, live: null }])).toBeNull();
    const drained = { since: '2026-11-26T00:00:00Z', by: '', reason: '' };
    expect(freeSlots([{ ...up, drained, slots: 8, live: live(8) }, { ...up, state: 'draining', slots: 2, live: live(2) }])).toEqual({ free: 0, slots: 10 });
    expect(freeSlots([])).toBeNull();
  });
  it('are read less often where there are many', () => {
    expect(figuresEvery(500)).toBe(5000);
    expect(figuresEvery(501)).toBe(30000);
  });
});

describe('momentsOf', () => {
  it('puts the times in order', () => {
    const attempt = { attempt: 1, started_at: '2026-01-01T00:00:02Z', finished_at: '2026-01-01T00:00:03Z' };
    const one = {
      created_at: '2026-01-01T00:00:00Z', scheduled_at: '2026-01-01T00:00:01Z', due_at: '2026-01-01T00:00:01Z', cancel_requested_at: null,
      ended_at: '2026-01-01T00:00:03Z', attempts: [attempt], late_report: null,
      waits: [{ for: 'task_rate', reason: '', since_at: '2026-01-01T00:00:01.5Z', until_at: '2026-01-01T00:00:02Z' }],
    } as unknown as Parameters<typeof momentsOf>[0];
    expect(momentsOf(one).map(({ name }) => name)).toEqual(['created', 'scheduled', 'wait_begins', 'wait_ends', 'started', 'finished', 'ended']);
  });
});
