import type { ServiceSettings } from '@/api/types';

/** The limits as the form has them; 0 is no limit. */
export interface Draft {
  concurrency: number;
  rate: number;
  perSeconds: number;
}

type Rate = { limit?: number; per_ms?: number; burst?: number };

export function draftOf(settings: ServiceSettings): Draft {
  const rate: Rate = settings.limits?.rate ?? {};
  return { concurrency: settings.limits?.concurrency ?? 0, rate: rate.limit ?? 0, perSeconds: (rate.per_ms ?? 1000) / 1000 };
}

/** What the form has beside what it does not show: the burst of a rate stays as long as there is a rate. */
export function settingsOf(before: ServiceSettings, draft: Draft, defaults: ServiceSettings['defaults']): ServiceSettings {
  const old: Rate = before.limits?.rate ?? {};
  const burst = old.burst !== undefined && old.limit === draft.rate ? { burst: old.burst } : {};
  const rate = draft.rate > 0 ? { rate: { limit: draft.rate, per_ms: Math.round(draft.perSeconds * 1000), ...burst } } : {};
  return {
    ...before,
    limits: { concurrency: draft.concurrency, ...rate },
    ...(defaults === undefined ? {} : { defaults }),
  };
}
