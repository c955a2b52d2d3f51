import type { Definition } from '@/api/types';

/** The policies that a service or project can have a default for. `routing` stands for the route as well. */
export const policies = ['misfire', 'concurrency', 'rate', 'max_attempts', 'retry_delay_ms', 'retry', 'max_deaths', 'timeout_ms', 'limits', 'stop_grace_ms', 'routing', 'priority', 'context'] as const;
export type Policy = (typeof policies)[number];

export const contexts = ['previous', 'last_success'] as const;
export type Context = (typeof contexts)[number];

export const routings = ['round_robin', 'random', 'least_loaded', 'skip_busy', 'first', 'last', 'failover', 'consistent_hash', 'instance', 'broadcast'] as const;
export type Routing = (typeof routings)[number];

/** Every field of every policy. What a choice does not use stays here and is not sent. */
export interface PoliciesDraft {
  misfire: { action: 'fire_once' | 'skip' | 'fire_all'; afterMs: number; limit: number; withinMs: number };
  concurrency: { limit: number; whenFull: 'wait' | 'skip' | 'replace'; queue: number; key: string };
  /** burst 0: as the server chooses. */
  rate: { limit: number; perMs: number; burst: number };
  maxAttempts: number;
  retryDelayMs: number;
  retry: { backoff: 'fixed' | 'exponential'; longestMs: number; jitterPercent: number; finalErrors: string[]; on: 'any' | 'other' | 'same' };
  maxDeaths: number;
  timeoutMs: number;
  limits: { startWithinMs: number; lateStart: 'skip' | 'fail'; totalMs: number };
  stopGraceMs: number;
  routing: Routing;
  route: { tag: string; key: string; instance: string; shards: number; ends: 'all' | 'any' };
  priority: number;
  context: Context[];
}

/** What holds where neither the task nor its service nor its project says anything. */
export const builtIn: PoliciesDraft = {
  misfire: { action: 'fire_once', afterMs: 60000, limit: 100, withinMs: 0 },
  concurrency: { limit: 0, whenFull: 'wait', queue: 0, key: '' },
  rate: { limit: 0, perMs: 1000, burst: 0 },
  maxAttempts: 1,
  retryDelayMs: 1000,
  retry: { backoff: 'fixed', longestMs: 3600000, jitterPercent: 0, finalErrors: [], on: 'any' },
  maxDeaths: 3,
  timeoutMs: 0,
  limits: { startWithinMs: 0, lateStart: 'skip', totalMs: 0 },
  stopGraceMs: 30000,
  routing: 'round_robin',
  route: { tag: '', key: '', instance: '', shards: 0, ends: 'all' },
  priority: 0,
  context: [],
};

type Members = Required<Pick<Definition, Policy | 'route'>>;

function misfireOf({ misfire }: PoliciesDraft) {
  const { action, afterMs, limit, withinMs } = misfire;
  return action === 'fire_all' ? { action, after_ms: afterMs, limit, within_ms: withinMs } : { action, after_ms: afterMs };
}

function concurrencyOf({ concurrency }: PoliciesDraft) {
  const { limit, whenFull, queue, key } = concurrency;
  if (limit === 0) return { limit: 0 };
  return whenFull === 'wait' ? { limit, when_full: whenFull, queue, key } : { limit, when_full: whenFull, key };
}

function rateOf({ rate }: PoliciesDraft) {
  if (rate.limit === 0) return { limit: 0 };
  return { limit: rate.limit, per_ms: rate.perMs, ...(rate.burst > 0 ? { burst: rate.burst } : {}) };
}

function retryOf({ retry }: PoliciesDraft) {
  const shared = { jitter_percent: retry.jitterPercent, final_errors: retry.finalErrors, on: retry.on };
  return retry.backoff === 'exponential' ? { backoff: retry.backoff, longest_ms: retry.longestMs, ...shared } : { backoff: retry.backoff, ...shared };
}

function routeOf({ routing, route }: PoliciesDraft) {
  return {
    ...(route.tag ? { tag: route.tag } : {}),
    ...(routing === 'consistent_hash' ? { key: route.key } : {}),
    ...(routing === 'instance' ? { instance: route.instance } : {}),
    ...(routing === 'broadcast' ? { ...(route.shards > 0 ? { shards: route.shards } : {}), ends: route.ends } : {}),
  };
}

function limitsOf({ limits }: PoliciesDraft) {
  return { start_within_ms: limits.startWithinMs, late_start: limits.lateStart, total_ms: limits.totalMs };
}

/** Each policy as the server takes it, with the members of its own branch and no other. */
export function policyMembers(draft: PoliciesDraft): Members {
  return {
    misfire: misfireOf(draft), concurrency: concurrencyOf(draft), rate: rateOf(draft), max_attempts: draft.maxAttempts,
    retry_delay_ms: draft.retryDelayMs, retry: retryOf(draft), max_deaths: draft.maxDeaths, timeout_ms: draft.timeoutMs,
    limits: limitsOf(draft), stop_grace_ms: draft.stopGraceMs, routing: draft.routing, route: routeOf(draft),
    priority: draft.priority, context: draft.context,
  } as Members;
}

/** What a definition, or defaults, may have of a policy: of all branches together. */
type Given = Partial<Record<string, string & number & string[] & boolean>>;
type Source = Partial<Record<Policy | 'route', unknown>>;

function member(source: Source, name: keyof Source): Given {
  const value = source[name];
  return typeof value === 'object' && value !== null ? (value as Given) : {};
}

function retryDraft(given: Given): PoliciesDraft['retry'] {
  const none = builtIn.retry;
  return {
    backoff: given.backoff ?? none.backoff, longestMs: given.longest_ms ?? none.longestMs, jitterPercent: given.jitter_percent ?? 0,
    finalErrors: given.final_errors ?? [], on: given.on ?? none.on,
  };
}

function routeDraft(given: Given): PoliciesDraft['route'] {
  return { tag: given.tag ?? '', key: given.key ?? '', instance: given.instance ?? '', shards: given.shards ?? 0, ends: given.ends ?? 'all' };
}

function limitDrafts(source: Source): Pick<PoliciesDraft, 'misfire' | 'concurrency' | 'rate' | 'limits'> {
  const misfire = member(source, 'misfire');
  const concurrency = member(source, 'concurrency');
  const rate = member(source, 'rate');
  const limits = member(source, 'limits');
  return {
    misfire: { action: misfire.action ?? 'fire_once', afterMs: misfire.after_ms ?? 60000, limit: misfire.limit ?? 100, withinMs: misfire.within_ms ?? 0 },
    concurrency: { limit: concurrency.limit ?? 0, whenFull: concurrency.when_full ?? 'wait', queue: concurrency.queue ?? 0, key: concurrency.key ?? '' },
    rate: { limit: rate.limit ?? 0, perMs: rate.per_ms ?? 1000, burst: rate.burst ?? 0 },
    limits: { startWithinMs: limits.start_within_ms ?? 0, lateStart: limits.late_start ?? 'skip', totalMs: limits.total_ms ?? 0 },
  };
}

/** The fields for the policies of a task, or for the defaults of a service; what is absent is built in. */
export function policiesDraftOf(source: Source): PoliciesDraft {
  const number = (name: Policy, none: number) => (typeof source[name] === 'number' ? source[name] : none);
  return {
    ...limitDrafts(source),
    maxAttempts: number('max_attempts', builtIn.maxAttempts),
    retryDelayMs: number('retry_delay_ms', builtIn.retryDelayMs),
    retry: retryDraft(member(source, 'retry')),
    maxDeaths: number('max_deaths', builtIn.maxDeaths),
    timeoutMs: number('timeout_ms', builtIn.timeoutMs),
    stopGraceMs: number('stop_grace_ms', builtIn.stopGraceMs),
    routing: (source.routing as Routing | undefined) ?? builtIn.routing,
    route: routeDraft(member(source, 'route')),
    priority: number('priority', builtIn.priority),
    context: Array.isArray(source.context) ? contexts.filter((one) => (source.context as unknown[]).includes(one)) : [],
  };
}

/** The draft with one policy as another draft has it. */
export function withPolicyOf(draft: PoliciesDraft, policy: Policy, other: PoliciesDraft): PoliciesDraft {
  switch (policy) {
    case 'max_attempts': return { ...draft, maxAttempts: other.maxAttempts };
    case 'retry_delay_ms': return { ...draft, retryDelayMs: other.retryDelayMs };
    case 'max_deaths': return { ...draft, maxDeaths: other.maxDeaths };
    case 'timeout_ms': return { ...draft, timeoutMs: other.timeoutMs };
    case 'stop_grace_ms': return { ...draft, stopGraceMs: other.stopGraceMs };
    case 'routing': return { ...draft, routing: other.routing, route: other.route };
    default: return { ...draft, [policy]: other[policy] };
  }
}
