import { policies, withPolicyOf, type PoliciesDraft, type Policy } from './policies_draft';
import type { Group } from './policy_words';

export const members: Record<Group, readonly Policy[]> = {
  late: ['misfire'],
  parallel: ['concurrency'],
  rate: ['rate'],
  retries: ['max_attempts', 'retry_delay_ms', 'retry', 'max_deaths'],
  times: ['timeout_ms', 'limits', 'stop_grace_ms'],
  client: ['routing'],
};

/** The members of a definition whose refusals belong to a group. */
export const faultNames: Record<Group, readonly string[]> = {
  ...members, client: ['routing', 'route'],
};

const fields: Record<Policy, readonly (keyof PoliciesDraft)[]> = {
  misfire: ['misfire'], concurrency: ['concurrency'], rate: ['rate'], priority: ['priority'], context: ['context'], max_attempts: ['maxAttempts'], retry_delay_ms: ['retryDelayMs'], retry: ['retry'],
  max_deaths: ['maxDeaths'], timeout_ms: ['timeoutMs'], limits: ['limits'], stop_grace_ms: ['stopGraceMs'], routing: ['routing', 'route'],
};

/** The policies that a change of fields makes the task's own. */
export function ownAfter(own: readonly Policy[], change: Partial<PoliciesDraft>): Policy[] {
  return policies.filter((policy) => own.includes(policy) || fields[policy].some((field) => field in change));
}

/** The draft with these policies as the defaults have them. */
export function withDefaults(draft: PoliciesDraft, which: readonly Policy[], defaults: PoliciesDraft): PoliciesDraft {
  return which.reduce((changed, policy) => withPolicyOf(changed, policy, defaults), draft);
}

/** All policies that are not the task's own as the defaults have them: what a new task shows. */
export function filled(draft: PoliciesDraft, own: readonly Policy[], defaults: PoliciesDraft): PoliciesDraft {
  return policies.reduce((changed, policy) => (own.includes(policy) ? changed : withPolicyOf(changed, policy, defaults)), draft);
}
