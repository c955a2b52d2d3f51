import type { PoliciesDraft } from './policies_draft';

type Say = (ms: number) => string;

function misfire({ misfire: { action, afterMs, limit, withinMs } }: PoliciesDraft, say: Say) {
  const key = action === 'fire_all' && withinMs > 0 ? 'fire_all_within' : action;
  return { key: `misfire.${key}`, values: { after: say(afterMs), limit, within: say(withinMs) } } as const;
}

function concurrency({ concurrency: { limit, whenFull, queue, key: pointer } }: PoliciesDraft) {
  const key = limit === 0 ? 'none' : whenFull === 'wait' && queue > 0 ? 'queue' : whenFull;
  return { key: `concurrency.${key}${pointer && limit > 0 ? '_keyed' : ''}` as const, values: { limit, queue, key: pointer } } as const;
}

function rate({ rate: { limit, perMs, burst } }: PoliciesDraft, say: Say) {
  const key = limit === 0 ? 'none' : burst > 0 ? 'burst' : 'limit';
  return { key: `rate.${key}`, values: { limit, per: say(perMs), burst } } as const;
}

function retries({ maxAttempts, retryDelayMs, retry }: PoliciesDraft, say: Say) {
  const key = maxAttempts === 1 ? 'none' : retry.backoff;
  return { key: `retries.${key}`, values: { count: maxAttempts, pause: say(retryDelayMs), longest: say(retry.longestMs) } } as const;
}

function times({ timeoutMs, limits }: PoliciesDraft, say: Say) {
  const parts = [
    ...(timeoutMs > 0 ? [{ key: 'times.timeout', values: { timeout: say(timeoutMs) } } as const] : []),
    ...(limits.startWithinMs > 0 ? [{ key: `times.start_${limits.lateStart}`, values: { within: say(limits.startWithinMs) } } as const] : []),
    ...(limits.totalMs > 0 ? [{ key: 'times.total', values: { total: say(limits.totalMs) } } as const] : []),
  ];
  return parts.length > 0 ? parts : [{ key: 'times.none', values: {} } as const];
}

function client({ routing, route }: PoliciesDraft) {
  const key = routing === 'broadcast' && route.shards > 0 ? 'shards' : routing;
  const words = [{ key: `client.${key}`, values: { key: route.key, instance: route.instance, shards: route.shards } } as const];
  return route.tag ? [...words, { key: 'client.tag', values: { tag: route.tag } } as const] : words;
}

export const groups = ['late', 'parallel', 'rate', 'retries', 'times', 'client'] as const;
export type Group = (typeof groups)[number];

/** What a group of policies does, in sentences: the keys of the catalogue with their values. */
export function wordsOf(group: Group, draft: PoliciesDraft, say: Say) {
  switch (group) {
    case 'late': return [misfire(draft, say)];
    case 'parallel': return [concurrency(draft)];
    case 'rate': return [rate(draft, say)];
    case 'retries': return [retries(draft, say)];
    case 'times': return times(draft, say);
    default: return client(draft);
  }
}
