import type { Definition, Task } from '@/api/types';
import { jsonText, readJson } from '@/shared/JsonField';
import { builtIn, policies, policiesDraftOf, policyMembers, type PoliciesDraft, type Policy } from './policies_draft';
import { emptySchedule, scheduleDraftOf, scheduleOf, type ScheduleDraft } from './schedule_draft';

/** What the form holds. Nothing here is known to be right: the server decides. */
export interface TaskDraft {
  project: string;
  name: string;
  description: string;
  owner: string;
  labels: string[]; // "team:billing"
  service: string;
  handler: string;
  payload: string; // JSON text
  schedule: ScheduleDraft;
  policies: PoliciesDraft;
  /** The policies that are the task's own, whatever its service or project has as a default. */
  own: Policy[];
  enabled: boolean;
}

export function emptyTask(project: string, zone: string): TaskDraft {
  return {
    project: project || 'default', name: '', description: '', owner: '', labels: [], service: '', handler: '', payload: '{}',
    schedule: emptySchedule(zone), policies: builtIn, own: [], enabled: true,
  };
}

export function taskDraftOf(task: Definition & Pick<Task, 'origins'>, viewer: string): TaskDraft {
  const origins: Partial<Record<string, string>> = task.origins ?? {};
  return {
    project: task.project ?? 'default', name: task.name, description: task.description ?? '', owner: task.owner ?? '',
    labels: Object.entries(task.labels ?? {}).map(([name, value]) => `${name}:${String(value)}`),
    service: task.service, handler: task.handler, payload: jsonText(task.payload ?? {}), schedule: scheduleDraftOf(task.schedule, viewer),
    policies: policiesDraftOf(task), own: policies.filter((policy) => origins[policy] === 'task'),
    enabled: task.enabled ?? true,
  };
}

/** A draft for another task like this one. Its seeds are left out, so that the copy draws its own. */
export function copyOf(draft: TaskDraft): TaskDraft {
  return { ...draft, name: `${draft.name}-copy`, schedule: { ...draft.schedule, hashSeed: undefined, jitterSeed: undefined } };
}

export function readLabels(labels: readonly string[]): Record<string, string> {
  return Object.fromEntries(labels.map((label) => {
    const colon = label.indexOf(':');
    return colon < 0 ? [label.trim(), ''] : [label.slice(0, colon).trim(), label.slice(colon + 1).trim()];
  }));
}

function sentPolicies(draft: TaskDraft, base: TaskDraft | undefined): Partial<Definition> {
  const members = policyMembers(draft.policies);
  // A policy that was a default and stays one is sent as it is, which leaves its origin. One that is a default again is
  // left out, and so is one of a new task: then the server fills it in.
  const sent = policies.filter((policy) => draft.own.includes(policy) || (base && !base.own.includes(policy)));
  const chosen: Partial<Definition> = Object.fromEntries(sent.map((policy) => [policy, members[policy]]));
  return sent.includes('routing') ? { ...chosen, route: members.route } : chosen;
}

/** The whole definition for POST or PUT. `base`: the draft of the task as it is, for an edit. */
export function definitionOf(draft: TaskDraft, base?: TaskDraft): Definition {
  const payload = readJson(draft.payload);
  return {
    project: draft.project.trim(), name: draft.name.trim(), description: draft.description, owner: draft.owner.trim(),
    labels: readLabels(draft.labels), service: draft.service.trim(), handler: draft.handler.trim(),
    payload: 'value' in payload ? payload.value : {}, schedule: scheduleOf(draft.schedule), ...sentPolicies(draft, base),
    enabled: draft.enabled,
  } as Definition;
}

/** Both definitions as lists of differences compare them. What is left out is a default again. */
export function comparable(base: TaskDraft, draft: TaskDraft): { before: Definition; after: Definition } {
  return { before: definitionOf(base, base), after: definitionOf(draft, base) };
}

export type Fault = 'needed' | 'json' | 'label' | 'below_total' | 'at_needed' | 'days_needed';

/** What the form itself can tell before it asks the server: the name of the member, and what is wrong. */
export function faultsOf(draft: TaskDraft): Partial<Record<string, Fault>> {
  const faults: Partial<Record<string, Fault>> = {};
  for (const name of ['name', 'service', 'handler'] as const) if (!draft[name].trim()) faults[name] = 'needed';
  if ('reason' in readJson(draft.payload)) faults.payload = 'json';
  if (draft.labels.some((label) => !/^[a-z0-9._/-]{1,63}:[^,]*$/.test(label))) faults.labels = 'label';
  const { startWithinMs, totalMs } = draft.policies.limits;
  if (startWithinMs > 0 && totalMs > 0 && startWithinMs >= totalMs) faults['limits.start_within_ms'] = 'below_total';
  const { mode, once, at, after, days } = draft.schedule;
  if (mode === 'once' && once === 'at' && !at) faults['schedule.at'] = 'at_needed';
  if (mode === 'after' && !after.trim()) faults['schedule.task'] = 'needed';
  if (mode === 'days' && days.length === 0) faults['schedule.cron'] = 'days_needed';
  return faults;
}
