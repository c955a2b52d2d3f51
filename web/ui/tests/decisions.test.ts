import { describe, expect, it } from 'vitest';
import { clockOf, conditionOf, longestStep, versionsOf } from '../src/features/nodes/condition';
import { lookUp, needOf } from '../src/features/services/need';
import { liveCode } from '../src/features/services/reasons';
import { clientClock, isWanted, onlys, servedBy, stateOf } from '../src/features/services/served';
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
    expect(relative(34 * 3600000, 0, 'en')).toBe('in 34 hours'); // "tomorrow" may be the wrong day
    expect(relative(0, 0, 'en')).toBe('now');
  });
  it('shows a time in a zone, and in UTC where the zone is not known', () => {
    expect(exact('2026-01-01T00:00:00.000000Z', 'Asia/Shanghai', 'en')).toContain('08:00:00');
    expect(exact('2026-01-01T00:00:00.000000Z', 'No/Where', 'en')).toContain('00:00:00');
  });
  it('has the day of the week in the language of the page, if it is wanted', () => {
    expect(exact('2026-11-27T12:00:00.000000Z', 'UTC', 'en', true)).toMatch(/^Fri, Nov 27, 2026/);
    expect(exact('2026-11-27T12:00:00.000000Z', 'UTC', 'zh', true)).toContain('周五');
    expect(exact('2026-11-27T12:00:00.000000Z', 'UTC', 'en')).toMatch(/^Nov 27, 2026/);
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
    const well = { alive: true, silent: false, draining: false, cannot_plan: null, failed_parts: [] as { part: string; since: string; cause: string }[], contact: 'steady' } as const;
    expect(conditionOf(well)).toBe('alive');
    expect(conditionOf({ ...well, draining: true, silent: true })).toBe('silent');
    expect(conditionOf({ ...well, draining: true, contact: 'cut_off' })).toBe('cut_off');
    expect(conditionOf({ ...well, contact: 'cut_off', failed_parts: [{ part: 'janitor', since: '2026-01-01T00:00:00Z', cause: 'x' }] })).toBe('part_failed');
    expect(conditionOf({ ...well, contact: 'returning' })).toBe('alive');
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

describe('the clients of a service', () => {
  const none = { up: 0, draining: 0, unreachable: 0, drained: 0, pending: 0 };
  it('serve it while one of them takes work or has not been tried yet', () => {
    expect(servedBy(none)).toBe('nobody');
    expect(servedBy({ ...none, up: 1, drained: 3 })).toBe('served');
    expect(servedBy({ ...none, pending: 1 })).toBe('served');
    expect(servedBy({ ...none, draining: 1, unreachable: 1, drained: 1 })).toBe('unreachable');
  });
  it('are counted once each: as drained by a person, else as draining, else by their reach', () => {
    const drained = { since: '2026-11-26T00:00:00Z', by: '', reason: '' };
    expect(stateOf({ drained, state: 'draining', reach: 'unreachable' })).toBe('drained');
    expect(stateOf({ drained: null, state: 'draining', reach: 'unreachable' })).toBe('draining');
    expect((['reachable', 'pending', 'unreachable'] as const).map((reach) => stateOf({ drained: null, state: 'up', reach }))).toEqual(['up', 'pending', 'unreachable']);
  });
  it('are found by a filter of services', () => {
    const one = { project: 'p', service: 's', paused: null, clients: { ...none, up: 1, unreachable: 1 } };
    expect(onlys.filter((only) => isWanted(one, only))).toEqual(['unreachable']);
    expect(onlys.filter((only) => isWanted({ ...one, clients: none }, only))).toEqual(['unserved']);
  });
  it('have a wrong clock if it is off by a tenth of a second or more', () => {
    expect([null, undefined, 99, -99, 100, -100].map(clientClock)).toEqual([undefined, undefined, undefined, undefined, 'ahead', 'behind']);
  });
  it('have a reason in words for each code that the page knows', () => {
    expect(liveCode('no_answer')).toBe('no_answer');
    expect(liveCode('of_later')).toBeUndefined();
  });
});

describe('momentsOf', () => {
  it('puts the times in order', () => {
    const attempt = { attempt: 1, started_at: '2026-01-01T00:00:02Z', finished_at: '2026-01-01T00:00:03Z' };
    const one = {
      created_at: '2026-01-01T00:00:00Z', scheduled_at: '2026-01-01T00:00:01Z', due_at: '2026-01-01T00:00:01Z', cancel_requested_at: null,
      ended_at: '2026-01-01T00:00:03Z', attempts: [attempt], late_report: null, stops: [{ attempt: 1, cause: 'timeout', requested_at: '2026-01-01T00:00:02.5Z' }],
      waits: [{ for: 'task_rate', reason: '', since_at: '2026-01-01T00:00:01.5Z', until_at: '2026-01-01T00:00:02Z' }],
    } as unknown as Parameters<typeof momentsOf>[0];
    expect(momentsOf(one).map(({ name }) => name)).toEqual(['created', 'scheduled', 'wait_begins', 'wait_ends', 'started', 'stop_requested', 'finished', 'ended']);
  });
});

describe('what a task needs', () => {
  const client = (handlers: string[], more: object = {}) => ({ handlers, state: 'up', reach: 'reachable', drained: null, ...more }) as Parameters<typeof needOf>[0][number];
  it('is a client that takes work and has the handler', () => {
    expect(needOf([], 'echo')).toBe('nobody');
    expect(needOf([client(['echo'], { reach: 'unreachable' }), client(['echo'], { state: 'draining' })], 'echo')).toBe('unreachable');
    expect(needOf([client(['other'])], 'echo')).toBe('handler');
    expect(needOf([client(['other']), client(['echo'], { reach: 'pending' })], 'echo')).toBeUndefined();
  });
  it('is unknown while not all clients are known', () => {
    expect(needOf([client(['other'])], 'echo', false)).toBeUndefined();
  });
  it('is told of services that are known', () => {
    const counts = { up: 0, draining: 0, unreachable: 0, drained: 0, pending: 0 };
    const of = lookUp([{ project: 'a', service: 'x', clients: counts }, { project: 'b', service: 'x', clients: { ...counts, up: 1 } }]);
    expect([of('a', 'x'), of('b', 'x'), of('c', 'x')]).toEqual(['nobody', 'served', undefined]);
  });
});
