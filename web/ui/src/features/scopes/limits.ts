import type { ServiceSettings } from '@/api/types';
import { contexts, type Context } from '@/features/tasks/form/policies_draft';
import { differences } from '@/shared/differences';

type Defaults = NonNullable<ServiceSettings['defaults']>;
type Rate = { limit?: number; per_ms?: number; burst?: number };

/** The settings as the form has them. A limit of 0 is none; a text or number that is empty leaves the rule to the server. */
export interface Draft {
  concurrency: number;
  rate: number;
  perSeconds: number;
  burst: number | '';
  attempts: number | '';
  retrySeconds: number | '';
  limitSeconds: number | '';
  zone: string;
  priority: number | '';
  /** Of each task by itself. Its burst has no field: it stays as long as the rate does. */
  taskRate: number | '';
  taskPerSeconds: number;
  taskBurst?: number | undefined;
  /** Undefined: no default. */
  context?: Context[] | undefined;
}

/** The members of the defaults that have fields of their own. */
const fields = ['max_attempts', 'retry_delay_ms', 'timeout_ms', 'zone', 'priority', 'rate', 'context'] as const;

const seconds = (ms: number | undefined) => (ms === undefined ? '' : ms / 1000);

export function draftOf({ limits, defaults = {} }: ServiceSettings): Draft {
  const rate: Rate = limits?.rate ?? {};
  const ofTask: Rate = defaults.rate ?? {};
  return {
    concurrency: limits?.concurrency ?? 0,
    rate: rate.limit ?? 0,
    perSeconds: (rate.per_ms ?? 1000) / 1000,
    burst: rate.burst ?? '',
    attempts: defaults.max_attempts ?? '',
    retrySeconds: seconds(defaults.retry_delay_ms),
    limitSeconds: seconds(defaults.timeout_ms),
    zone: defaults.zone ?? '',
    priority: defaults.priority ?? '',
    taskRate: ofTask.limit ?? '',
    taskPerSeconds: (ofTask.per_ms ?? 1000) / 1000,
    taskBurst: ofTask.burst,
    context: defaults.context && contexts.filter((one) => defaults.context?.includes(one)),
  };
}

/** The defaults that have no field. */
export function furtherDefaults({ defaults = {} }: ServiceSettings): Defaults {
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => !fields.some((field) => field === name))) as Defaults;
}

function rateOf({ rate, perSeconds, burst }: Draft): { rate?: { limit: number; per_ms: number; burst?: number } } {
  if (rate <= 0) return {};
  return { rate: { limit: rate, per_ms: Math.round(perSeconds * 1000), ...(burst === '' ? {} : { burst }) } };
}

function taskRateOf({ taskRate, taskPerSeconds, taskBurst }: Draft): Pick<Defaults, 'rate'> {
  if (taskRate === '') return {};
  if (taskRate === 0) return { rate: { limit: 0 } };
  return { rate: { limit: taskRate, per_ms: Math.round(taskPerSeconds * 1000), ...(taskBurst === undefined ? {} : { burst: taskBurst }) } };
}

export function settingsOf(draft: Draft, further: Defaults): ServiceSettings {
  const { attempts, retrySeconds, limitSeconds, zone, priority, context } = draft;
  return {
    limits: { concurrency: draft.concurrency, ...rateOf(draft) },
    defaults: {
      ...further,
      ...(attempts === '' ? {} : { max_attempts: attempts }),
      ...(retrySeconds === '' ? {} : { retry_delay_ms: Math.round(retrySeconds * 1000) }),
      ...(limitSeconds === '' ? {} : { timeout_ms: Math.round(limitSeconds * 1000) }),
      ...(zone === '' ? {} : { zone }),
      ...(priority === '' ? {} : { priority }),
      ...taskRateOf(draft),
      ...(context === undefined ? {} : { context }),
    },
  };
}

/** Settings with their version; 0 if none were set. */
export interface Known {
  version: number;
  settings: ServiceSettings;
}

/** The settings as the form gives them back when nothing is changed. */
export const through = ({ settings }: Known) => settingsOf(draftOf(settings), furtherDefaults(settings));
const isSame = (one: ServiceSettings, other: ServiceSettings) => differences(one, other).length === 0;

/**
 * The step of a form that began with `base`, now that `present` holds: none, or take that, or warn, because the entries would be lost.
 * `entered`: undefined while it cannot be read.
 */
export function nextOf(base: Known, present: Known, entered: ServiceSettings | undefined): 'stay' | 'take' | 'warn' {
  // An answer that was on its way during a save is older than what the save gave.
  if (present.version <= base.version) return 'stay';
  return entered && (isSame(entered, through(base)) || isSame(entered, through(present))) ? 'take' : 'warn';
}
