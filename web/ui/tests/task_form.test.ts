import { isZoneLike } from '../src/shared/zones';
import { describe, expect, it } from 'vitest';
import type { Definition, Schedule } from '../src/api/types';
import { markOf } from '../src/features/tasks/form/preview_marks';
import { instantOf, localOf } from '../src/features/tasks/form/instants';
import { builtIn, policiesDraftOf, policyMembers, withPolicyOf, type PoliciesDraft } from '../src/features/tasks/form/policies_draft';
import { emptySchedule, isComplete, modes, needsName, offered, scheduleDraftOf, scheduleOf, switched } from '../src/features/tasks/form/schedule_draft';
import { scheduleWords } from '../src/features/tasks/form/schedule_words';
import { readSimpleCron, writeSimpleCron } from '../src/features/tasks/form/simple_cron';
import { comparable, copyOf, definitionOf, emptyTask, faultsOf, taskDraftOf } from '../src/features/tasks/form/task_draft';
import { differences } from '../src/shared/differences';

const zone = 'America/New_York';
const seeds = { jitter_ms: 60000, jitter_seed: 7 };
const often = { start_at: '2027-01-01T05:00:00.123456Z', end_at: '2027-02-01T05:00:00.000000Z', max_firings: 10, ...seeds, calendars: [{ name: 'holidays', mode: 'exclude' as const }] };

const schedules: Schedule[] = [
  { kind: 'cron', cron: '30 9 * * 1-5', dialect: 'crontab', zone },
  { kind: 'cron', cron: '30 9 * * mon-fri', dialect: 'crontab', zone, gap: 'shift', overlap: 'both', ...often },
  { kind: 'cron', cron: 'H 2 * * *', dialect: 'crontab', zone, hash_seed: 42 },
  { kind: 'cron', cron: '0 0 2 L * ?', dialect: 'quartz', zone },
  { kind: 'cron', cron: '*/5 * * * *', dialect: 'crontab', zone },
  { kind: 'fixed_rate', every_ms: 30000, ...often },
  { kind: 'fixed_delay', every_ms: 100 },
  { kind: 'window', every_ms: 900000, from: '09:00', to: '17:30', days: ['mon', 'fri'], zone, ...often },
  { kind: 'window', every_ms: 900000, from: '22:00', to: '04:00', zone },
  { kind: 'calendar', every: 10, unit: 'days', time: '08:00', zone },
  { kind: 'calendar', every: 2, unit: 'weeks', days: ['mon', 'thu'], time: '08:00:30', zone, ...often },
  { kind: 'calendar', every: 3, unit: 'weeks', time: '08:00', zone },
  { kind: 'calendar', every: 3, unit: 'months', on: 'last_business_day', time: '18:00', zone },
  { kind: 'calendar', every: 1, unit: 'months', on: 15, roll: 'next_business_day', time: '18:00', zone, ...often },
  { kind: 'calendar', every: 1, unit: 'months', on: 'second tuesday', time: '18:00', zone },
  { kind: 'calendar', every: 1, unit: 'years', time: '18:00', zone },
  { kind: 'once', at: '2026-12-24T18:00:00.250000Z' },
  { kind: 'once', in_ms: 7200000 },
  { kind: 'after', task: 'extract' },
  { kind: 'api' },
];

describe('the schedule builder', () => {
  it.each(schedules.map((one) => [JSON.stringify(one), one] as const))('gives back %s', (_, schedule) => {
    expect(scheduleOf(scheduleDraftOf(schedule, 'Europe/Berlin'))).toEqual(schedule);
  });
  it('writes 09:30 on business days in New York', () => {
    const draft = { ...emptySchedule(zone), time: '09:30', days: ['fri', 'mon', 'tue', 'wed', 'thu'] as const };
    expect(scheduleOf({ ...draft, days: [...draft.days] })).toEqual({ kind: 'cron', cron: '30 9 * * 1-5', dialect: 'crontab', zone });
  });
  it('reads only what is a time on days of the week', () => {
    expect(readSimpleCron('5 4 * * sun')).toEqual({ time: '04:05', days: ['sun'] });
    expect(readSimpleCron('0 0 * * 5-7')).toEqual({ time: '00:00', days: ['fri', 'sat', 'sun'] });
    expect(readSimpleCron('0 0 * * 0-2')).toEqual({ time: '00:00', days: ['mon', 'tue', 'sun'] });
    expect(readSimpleCron('15 30 9 * * *')?.time).toBe('09:30:15');
    for (const other of ['*/5 * * * *', '0 9 1 * *', '0 9 * 2 *', '0 9 * * fri-mon', '0 24 * * *', '@daily', 'H 2 * * *', '0 9 * * mon#2']) expect(readSimpleCron(other)).toBeUndefined();
  });
  it('writes what it reads', () => {
    for (const cron of ['30 9 * * 1-5', '0 0 * * *', '5 4 * * 7', '15 30 9 * * 1,3']) expect(writeSimpleCron(readSimpleCron(cron) ?? { time: '', days: [] })).toBe(cron);
  });
  it('keeps what can be kept when the kind changes', () => {
    const daily = { ...emptySchedule(zone), time: '09:30', days: ['mon' as const] };
    const cron = switched(daily, 'cron');
    expect(cron.cron).toBe('30 9 * * 1');
    expect(switched({ ...cron, cron: '0 7 * * 2' }, 'days')).toMatchObject({ time: '07:00', days: ['tue'] });
    expect(scheduleOf(switched(daily, 'every_days'))).toMatchObject({ unit: 'weeks', time: '09:30', days: ['mon'], zone });
    expect(switched(switched(daily, 'api'), 'days')).toEqual(daily);
    // What belongs to the other kind is not sent.
    expect(scheduleOf(switched({ ...daily, gap: 'skip', calendars: [{ name: 'a', mode: 'allow' }] }, 'once'))).not.toHaveProperty('calendars');
  });
});

describe('a wall clock', () => {
  it('is an instant of its zone, in winter and in summer', () => {
    expect(instantOf('2026-12-24T18:00', zone)).toBe('2026-12-24T23:00:00Z');
    expect(instantOf('2026-07-01T18:00', zone)).toBe('2026-07-01T22:00:00Z');
    expect(localOf('2026-07-01T22:00:00.000000Z', zone)).toBe('2026-07-01T18:00');
    expect(localOf('2026-07-01T22:00:09Z', 'no/such')).toBe('2026-07-01T22:00:09');
    expect(instantOf('', zone)).toBeUndefined();
  });
  it('that the clock skips is after the gap', () => {
    expect(['2027-03-14T06:30:00Z', '2027-03-14T07:30:00Z']).toContain(instantOf('2027-03-14T02:30', zone));
  });
});

const given: { [name: string]: unknown }[] = [
  { misfire: { action: 'skip', after_ms: 1 } },
  { misfire: { action: 'fire_all', after_ms: 2, limit: 7, within_ms: 9 } },
  { concurrency: { limit: 0 } },
  { concurrency: { limit: 3, when_full: 'wait', queue: 2, key: '/customer' } },
  { concurrency: { limit: 1, when_full: 'replace', key: '' } },
  { rate: { limit: 100, per_ms: 60000, burst: 20 } },
  { rate: { limit: 100, per_ms: 60000 } },
  { retry: { backoff: 'exponential', longest_ms: 5, jitter_percent: 20, final_errors: ['bad_input'], on: 'other' } },
  { retry: { backoff: 'fixed', jitter_percent: 0, final_errors: [], on: 'same' } },
  { max_attempts: 3, retry_delay_ms: 5000, max_deaths: 9, timeout_ms: 30000, stop_grace_ms: 0 },
  { limits: { start_within_ms: 1, late_start: 'fail', total_ms: 2 } },
  { routing: 'consistent_hash', route: { tag: 'gpu', key: '/customer' } },
  { routing: 'instance', route: { instance: 'build-7' } },
  { routing: 'broadcast', route: { shards: 16, ends: 'any' } },
  { routing: 'random', route: {} },
];

describe('policies', () => {
  it.each(given.map((one) => [JSON.stringify(one), one] as const))('come back as %s', (_, policy) => {
    expect(policyMembers(policiesDraftOf(policy))).toMatchObject(policy);
    for (const [name, value] of Object.entries(policy)) expect(policyMembers(policiesDraftOf(policy))[name as 'retry']).toEqual(value);
  });
  it('drop the members of another branch', () => {
    const draft: PoliciesDraft = { ...builtIn, misfire: { action: 'skip', afterMs: 5, limit: 9, withinMs: 9 }, concurrency: { limit: 1, whenFull: 'skip', queue: 5, key: '' }, route: { ...builtIn.route, key: '/a', shards: 4 } };
    const members = policyMembers(draft);
    expect(members.misfire).toEqual({ action: 'skip', after_ms: 5 });
    expect(members.concurrency).toEqual({ limit: 1, when_full: 'skip', key: '' });
    expect(members.route).toEqual({});
  });
  it('go back to a default one by one, the route with the routing', () => {
    const draft = policiesDraftOf({ routing: 'instance', route: { instance: 'a' }, max_attempts: 4 });
    expect(withPolicyOf(draft, 'routing', builtIn)).toEqual({ ...draft, routing: 'round_robin', route: builtIn.route });
    expect(withPolicyOf(draft, 'max_attempts', builtIn).maxAttempts).toBe(1);
  });
});

describe('a task in the form', () => {
  const members = policyMembers(builtIn);
  const task = {
    ...members, project: 'p', name: 'n', description: 'd', owner: 'o', labels: { team: 'a:b', env: '' }, service: 's', handler: 'h', payload: [1, { a: null }],
    schedule: schedules[0], priority: 3, context: ['previous'], enabled: false, origins: { max_attempts: 'task', retry: 'service', routing: 'task', priority: 'task', context: 'task', rate: 'project' },
  } as unknown as Definition;
  const draft = taskDraftOf(task, zone);
  it('comes back whole, so that saving without a change changes nothing', () => {
    const { origins: _, ...definition } = task as Definition & { origins: unknown };
    expect(definitionOf(draft, draft)).toEqual(definition);
    const { before, after } = comparable(draft, draft);
    expect(differences(before, after)).toEqual([]);
  });
  it('leaves a policy out that is a default again, and the route with the routing', () => {
    const sent = definitionOf({ ...draft, own: [] }, draft);
    for (const name of ['max_attempts', 'routing', 'route', 'priority', 'context']) expect(sent).not.toHaveProperty(name);
    expect(sent.retry).toEqual(members.retry);
  });
  it('sends of a new task only the policies that are its own', () => {
    const sent = definitionOf({ ...emptyTask('', zone), own: ['timeout_ms'] });
    expect(sent).toMatchObject({ project: 'default', timeout_ms: 0 });
    for (const name of ['misfire', 'retry', 'routing', 'route', 'limits', 'rate', 'priority', 'context']) expect(sent).not.toHaveProperty(name);
  });
  it('is copied without the seeds', () => {
    const hashed = taskDraftOf({ ...task, schedule: schedules[2] as Schedule }, zone);
    expect(definitionOf(copyOf(hashed))).toMatchObject({ name: 'n-copy' });
    expect(definitionOf(copyOf(hashed)).schedule).not.toHaveProperty('hash_seed');
  });
  it('tells what is missing', () => {
    expect(faultsOf(emptyTask('', zone))).toEqual({ name: 'needed', service: 'needed', handler: 'needed' });
    const bad = { ...draft, payload: '{', labels: ['Team'], policies: { ...draft.policies, limits: { startWithinMs: 5, lateStart: 'skip' as const, totalMs: 5 } } };
    expect(faultsOf(bad)).toEqual({ payload: 'json', labels: 'label', 'limits.start_within_ms': 'below_total' });
    expect(faultsOf({ ...draft, schedule: { ...draft.schedule, mode: 'once' } })).toEqual({ 'schedule.at': 'at_needed' });
  });
});

describe('the preview of a schedule', () => {
  it('is asked for once all of its fields are chosen', () => {
    const empty = emptySchedule('UTC');
    expect(isComplete(empty)).toBe(true);
    expect(isComplete({ ...empty, days: [] })).toBe(false);
    expect(isComplete({ ...empty, mode: 'once' })).toBe(false);
    expect(isComplete({ ...empty, mode: 'once', at: '2026-12-24T18:00' })).toBe(true);
    expect(isComplete({ ...empty, mode: 'once', once: 'in' })).toBe(true);
    expect(isComplete({ ...empty, mode: 'after', after: ' ' })).toBe(false);
    for (const mode of ['window', 'interval', 'api', 'cron'] as const) expect(isComplete({ ...empty, mode, days: [] })).toBe(true);
  });
  it('depends on the name of the task only for hashed values and a jitter', () => {
    const empty = emptySchedule('UTC');
    expect(needsName(empty)).toBe(false);
    expect(needsName({ ...empty, mode: 'cron', cron: 'H 2 * * *' })).toBe(true);
    expect(needsName({ ...empty, jitterMs: 1000 })).toBe(true);
    expect(needsName({ ...empty, mode: 'api', jitterMs: 1000 })).toBe(false);
  });
  it('marks what the clock does to a firing before a change since the one before', () => {
    expect(markOf({ clock: 'moved', clock_changed: true })).toBe('moved');
    expect(markOf({ clock: null, clock_changed: true })).toBe('clock');
    expect(markOf({ clock: null, clock_changed: false })).toBeUndefined();
  });
});

describe('a schedule in the words of a language', () => {
  it('has a sentence for every mode', async () => {
    const zh = (await import('../src/i18n/zh')).default.taskForm.words as Record<string, string>;
    const en = (await import('../src/i18n/en')).default.taskForm.words as Record<string, string>;
    for (const mode of modes) {
      const { key } = scheduleWords({ ...emptySchedule('UTC'), mode }, String);
      for (const words of [zh, en]) expect(words[key] ?? words[`${key}_other`]).toBeTruthy();
    }
  });
});

describe('the search for a zone', () => {
  it('takes a space for an underscore, and any case', () => {
    expect(isZoneLike('America/New_York', 'new york')).toBe(true);
    expect(isZoneLike('America/New_York', 'AMERICA/new_y')).toBe(true);
    expect(isZoneLike('Europe/Berlin', 'york')).toBe(false);
  });
});

describe('the zone of a schedule', () => {
  const empty = emptySchedule('Asia/Shanghai');
  const zoneOf = (schedule: Schedule) => ('zone' in schedule ? schedule.zone : undefined);
  it('is the default of the service or project until a person chooses one, and is then left to the server', () => {
    const shown = offered(empty, 'Europe/Berlin', 'Asia/Shanghai');
    expect([shown.zone, shown.zoneBy]).toEqual(['Europe/Berlin', 'default']);
    for (const mode of ['days', 'months', 'every_days', 'window', 'cron'] as const) {
      expect(scheduleOf(switched(shown, mode))).not.toHaveProperty('zone');
      expect(zoneOf(scheduleOf(switched({ ...shown, zone: 'UTC', zoneBy: 'person' }, mode)))).toBe('UTC');
    }
    expect(offered(shown, undefined, 'Asia/Shanghai')).toMatchObject({ zone: 'Asia/Shanghai', zoneBy: 'viewer' });
    expect(zoneOf(scheduleOf(offered(empty, undefined, 'Asia/Shanghai')))).toBe('Asia/Shanghai');
  });
  it('stays when it is chosen, or that of a task', () => {
    const chosen = { ...empty, zone: 'UTC', zoneBy: 'person' as const };
    expect(offered(chosen, 'Europe/Berlin', 'Asia/Shanghai')).toBe(chosen);
    const task = scheduleDraftOf({ kind: 'window', every_ms: 900000, from: '09:00', to: '17:30', zone } as Schedule, 'Asia/Shanghai');
    expect(offered(task, 'Europe/Berlin', 'Asia/Shanghai').zone).toBe(zone);
  });
  it('stays while an instant is entered, which would be another in another zone', () => {
    const entered = { ...empty, startAt: '2027-01-01T00:00' };
    expect(offered(entered, 'Europe/Berlin', 'UTC').zone).toBe('Asia/Shanghai');
    const byDefault = { ...offered(empty, 'Europe/Berlin', 'UTC'), startAt: '2027-01-01T00:00' };
    expect(scheduleOf(offered(byDefault, 'Europe/Berlin', 'UTC'))).not.toHaveProperty('zone');
    expect(zoneOf(scheduleOf(offered(byDefault, 'UTC', 'UTC')))).toBe('Europe/Berlin');
  });
});
