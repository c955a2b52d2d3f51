import type { Execution, NextFiring } from '@/api/types';

/** How many tasks are asked for all their firings, and for how many firings each. */
export const mostTasks = 20;
export const mostFirings = 100;

/** The tasks to ask: those that fire first. */
export function tasksToAsk(upcoming: NextFiring[]): string[] {
  return [...new Set(upcoming.map(({ task }) => task))].slice(0, mostTasks);
}

/** The answer of one task: when it fires next; undefined if it did not answer, as one that was deleted meanwhile. */
export interface Answer {
  task: string;
  times: string[] | undefined;
}

export interface Coming {
  items: NextFiring[];
  /** The number of tasks of which more than the next firing is known. */
  asked: number;
  /** Of other tasks only the next firing is known, or none. */
  others: boolean;
  /** The tasks that fire so often that not all of their firings are known. */
  cut: Cut[];
}

/** A task that fires on after the last of its firings that are known. */
export interface Cut {
  task: string;
  name: string;
  after: string;
}

/** The firings to come: all of the tasks that answered, and the next one of the others. */
export function comingOf(upcoming: NextFiring[], more: boolean, answers: Answer[], end: number): Coming {
  const times = new Map(answers.flatMap(({ task, times: known }) => (known ? [[task, known]] : [])));
  const names = new Map(upcoming.map((one) => [one.task, one]));
  const known = upcoming.filter(({ task, execution }) => execution !== null || !times.has(task));
  const further = [...times].flatMap(([task, ats]) => {
    const { project, name, service } = names.get(task) as NextFiring;
    return ats.filter((at) => Date.parse(at) < end).map((at) => ({ at, task, project, name, service, execution: null }));
  });
  return {
    items: [...known, ...withoutTwins(further, known)],
    asked: times.size,
    others: more || names.size > times.size,
    cut: [...times].flatMap(([task, ats]) => {
      const after = ats.at(mostFirings - 1);
      return after !== undefined && Date.parse(after) < end ? [{ task, name: (names.get(task) as NextFiring).name, after }] : [];
    }),
  };
}

const keyOf = (task: string, at: string) => `${task} ${Date.parse(at)}`;

/** The firings that are not among the others: an execution stands for them. */
function withoutTwins(firings: NextFiring[], others: Pick<NextFiring, 'task' | 'at'>[]): NextFiring[] {
  const there = new Set(others.map(({ task, at }) => keyOf(task, at)));
  return firings.filter(({ task, at }) => !there.has(keyOf(task, at)));
}

/** The firings for which there is no execution yet. */
export function withoutExecutions(firings: NextFiring[], executions: Pick<Execution, 'task' | 'scheduled_at' | 'id'>[]): NextFiring[] {
  const ids = new Set(executions.map(({ id }) => id));
  const unplanned = withoutTwins(firings, executions.map(({ task, scheduled_at: at }) => ({ task, at })));
  const kept = new Set(unplanned);
  return firings.filter((one) => (one.execution === null ? kept.has(one) : !ids.has(one.execution)));
}
