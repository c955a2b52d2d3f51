import { describe, expect, it } from 'vitest';
import type { Task } from '../src/api/types';
import { builtIn, policies, policyMembers } from '../src/features/tasks/form/policies_draft';
import { changeOf as decide, type Levels } from '../src/features/scopes/apply_defaults';

const builtInOrigins = Object.fromEntries(policies.map((policy) => [policy, 'built_in']));

// Defaults as people write them, with less than the server shows.
const changeOf = (one: Task, levels: object) => decide(one, levels as Levels);

function task(values: object = {}, origins: object = {}): Task {
  return { ...policyMembers(builtIn), name: 't', service: 's', schedule: { kind: 'api' }, ...values, origins: { ...builtInOrigins, ...origins } } as unknown as Task;
}

describe('the defaults of a service and its project', () => {
  it('change nothing in a task that has them', () => {
    expect(changeOf(task(), { service: {}, project: {} })).toBeUndefined();
    expect(changeOf(task({ max_attempts: 3 }, { max_attempts: 'service' }), { service: { max_attempts: 3 }, project: { max_attempts: 9 } })).toBeUndefined();
  });
  it('come from the service, else from the project, else from the program', () => {
    const change = changeOf(task({ timeout_ms: 7, priority: 4 }, { timeout_ms: 'project', priority: 'service' }), {
      service: { max_attempts: 3 }, project: { max_attempts: 9, timeout_ms: 5000, context: ['previous'] },
    });
    expect(change?.after).toMatchObject({ max_attempts: 3, timeout_ms: 5000, context: ['previous'], priority: 0 });
    expect(change?.before).toMatchObject({ max_attempts: 1, timeout_ms: 7, context: [], priority: 4 });
    expect(change?.patch).toMatchObject({ max_attempts: null, timeout_ms: null, context: null, priority: null });
  });
  it('leave what is the task\'s own', () => {
    const own = task({ max_attempts: 2 }, { max_attempts: 'task' });
    expect(changeOf(own, { service: { max_attempts: 3 }, project: {} })).toBeUndefined();
    expect(changeOf(own, { service: { max_attempts: 3, timeout_ms: 1 }, project: {} })?.patch).not.toHaveProperty('max_attempts');
  });
  it('give the zone only to a schedule whose zone is not its own', () => {
    const daily = { schedule: { kind: 'cron', cron: '0 2 * * *', zone: 'UTC' } };
    const levels = { service: {}, project: { zone: 'Europe/Berlin' } };
    expect(changeOf(task(daily, { zone: 'built_in' }), levels)).toMatchObject({ patch: { schedule: { zone: null } }, after: { schedule: { zone: 'Europe/Berlin' } } });
    expect(changeOf(task(daily, { zone: 'task' }), levels)).toBeUndefined();
    expect(changeOf(task(), levels)).toBeUndefined();
  });
  it('give a route with its routing, and none of another level', () => {
    const change = changeOf(task(), { service: { routing: 'random' }, project: { routing: 'instance', route: { instance: 'build' } } });
    expect(change?.after).toMatchObject({ routing: 'random', route: {} });
    expect(change?.patch).toMatchObject({ routing: null });
    expect(change?.patch).not.toHaveProperty('route');
  });
  it('are equal to what the server fills in', () => {
    const has = task({ rate: { limit: 10, per_ms: 1000, burst: 6 } }, { rate: 'service' });
    expect(changeOf(has, { service: { rate: { limit: 10 } }, project: {} })).toBeUndefined();
  });
  it('change a task whose value now comes from another place', () => {
    const change = changeOf(task({ max_attempts: 3 }, { max_attempts: 'project' }), { service: { max_attempts: 3 }, project: {} });
    expect(change?.before).toEqual(change?.after);
  });
});
