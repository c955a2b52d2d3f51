import type { DeadLetter, ResolvedLetter } from '@/api/types';

/** What the open dead letters have in common that are meant; an empty one means all. */
export interface LetterFilter {
  task?: string;
  project?: string;
  service?: string;
  error?: string;
  broadcast?: string;
}

/** These dead letters, or the open ones that a filter finds. */
export type Letters = { executions: string[] } | LetterFilter;

/** The query of one request. `after`: where the one before it ended. */
export type Step = { executions: string[] } | (LetterFilter & { all: true; after?: string });

/**
 * The first request. The server begins with what has died by its own clock, and goes on to older ones, so those that die meanwhile are
 * not meant. A time of the browser would leave out the newest where its clock is behind.
 */
export function firstStep(of: Letters): Step {
  return 'executions' in of ? of : { ...of, all: true };
}

const parts = ['task', 'project', 'service', 'error', 'broadcast'] as const;

/** The open dead letters that a list without a selection means: those that its filters find. */
export function lettersOf(values: Record<(typeof parts)[number], string>): LetterFilter {
  return Object.fromEntries(parts.flatMap((part) => (values[part] === '' ? [] : [[part, values[part]]])));
}

/** The task of all these dead letters; empty if they belong to several tasks, or there are none. */
export function oneTask(letters: Pick<DeadLetter, 'task'>[]): string {
  const tasks = new Set(letters.map(({ task }) => task));
  return tasks.size === 1 ? ([...tasks][0] ?? '') : '';
}

export interface Count {
  count: number;
  more: boolean;
}

/** Such as 1,200, or 20,000+ if there may be more. */
export function countText({ count, more }: Count, language: string): string {
  return `${count.toLocaleString(language)}${more ? '+' : ''}`;
}

/** How far a request is that takes several steps. */
export interface Resolved {
  done: number;
  /** Those that were not resolved, up to `mostKept` of them, and how many there are. */
  left: ResolvedLetter[];
  refused: number;
  remaining: Count;
}

const mostKept = 20;
const resolved = ['retried', 'dismissed'];

export const nothingYet: Resolved = { done: 0, left: [], refused: 0, remaining: { count: 0, more: false } };

/** After one more step. */
export function withStep(before: Resolved, step: { items: ResolvedLetter[]; done: number; refused: number; remaining: Count }): Resolved {
  return {
    done: before.done + step.done,
    refused: before.refused + step.refused,
    left: [...before.left, ...step.items.filter(({ outcome }) => !resolved.includes(outcome))].slice(0, mostKept),
    remaining: step.remaining,
  };
}
