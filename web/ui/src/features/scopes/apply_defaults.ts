import type { Definition, ServiceSettings, Task } from '@/api/types';
import { policies, policiesDraftOf, policyMembers, type Policy } from '@/features/tasks/form/policies_draft';
import { differences } from '@/shared/differences';

type Defaults = NonNullable<ServiceSettings['defaults']>;
type Origin = 'built_in' | 'project' | 'service' | 'task';
type Values = Partial<Record<Policy | 'route', unknown>> & { schedule?: { zone: unknown } };

/** The defaults of a service and of its project. */
export interface Levels {
  service: Defaults;
  project: Defaults;
}

/** What the present defaults change in a task: the values before and after, and the patch that does it. */
export interface Change {
  patch: Partial<Definition>;
  before: Values;
  after: Values;
}

/** The server chooses this burst where none is given. */
const burstOf = (limit: number, perMs: number) => 1 + Math.floor((limit * 500) / perMs);

function membersOf(source: Definition | Defaults) {
  const draft = policiesDraftOf(source);
  const { limit, perMs, burst } = draft.rate;
  return policyMembers(limit > 0 && burst === 0 ? { ...draft, rate: { limit, perMs, burst: burstOf(limit, perMs) } } : draft);
}

function originOf(member: keyof Defaults, { service, project }: Levels): Origin {
  if (service[member] !== undefined) return 'service';
  return project[member] !== undefined ? 'project' : 'built_in';
}

/** The default of the service, else that of the project. A route goes with its routing. */
function merged({ service, project }: Levels): Defaults {
  const { route: _, ...unrouted } = project;
  return { ...(service.routing === undefined ? project : unrouted), ...service };
}

/** Undefined if the task has the present defaults, or values of its own. */
export function changeOf(task: Task, levels: Levels): Change | undefined {
  const origins: Partial<Record<string, Origin>> = task.origins ?? {};
  const defaults = merged(levels);
  const [now, then] = [membersOf(task), membersOf(defaults)];
  const taken = policies.filter((policy) => (origins[policy] ?? 'built_in') !== 'task');
  const change: { patch: Record<string, unknown>; before: Values; after: Values } = { patch: {}, before: {}, after: {} };
  let moved = false;
  for (const policy of taken) {
    change.patch[policy] = null;
    for (const member of policy === 'routing' ? (['routing', 'route'] as const) : [policy]) [change.before[member], change.after[member]] = [now[member], then[member]];
    moved ||= (origins[policy] ?? 'built_in') !== originOf(policy, levels);
  }
  if (origins.zone !== undefined && origins.zone !== 'task') {
    change.patch.schedule = { zone: null };
    change.before.schedule = { zone: (task.schedule as { zone?: string }).zone };
    change.after.schedule = { zone: defaults.zone ?? 'UTC' };
    moved ||= origins.zone !== originOf('zone', levels);
  }
  return moved || differences(change.before, change.after).length > 0 ? (change as Change) : undefined;
}
