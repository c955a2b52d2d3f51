import type { DeadLetter, Task } from '@/api/types';

export interface Firing {
  task: string;
  name: string;
  project: string;
  at: string;
}

const mostShown = 8;

/** The next firings of these tasks, the first one first. */
export function nextFirings(tasks: Pick<Task, 'id' | 'name' | 'project' | 'next_fire_at'>[]): Firing[] {
  return tasks
    .flatMap(({ id = '', name, project = '', next_fire_at: at }) => (at ? [{ task: id, name, project, at }] : []))
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .slice(0, mostShown);
}

/** In how many milliseconds to look again: when the first firing is over, and between five seconds and a minute from now. */
export function untilNext(first: string | undefined, now: number): number {
  const away = first === undefined ? 60000 : Date.parse(first) + 1000 - now;
  return Math.min(60000, Math.max(5000, away));
}

export interface Failing {
  task: string;
  name: string;
  project: string;
  count: number;
  /** Of the latest failure. */
  error: string | null;
  at: string;
}

type Letter = Pick<DeadLetter, 'task' | 'task_name' | 'project' | 'error' | 'died_at'>;

/** The tasks of these dead letters, the latest letter first, by how many of them they have. */
export function failing(letters: Letter[]): Failing[] {
  const byTask = new Map<string, Failing>();
  for (const { task, task_name: name, project, error, died_at: at } of letters) {
    const known = byTask.get(task);
    if (known) known.count += 1;
    else byTask.set(task, { task, name: name ?? task, project, count: 1, error, at });
  }
  return [...byTask.values()].sort((a, b) => b.count - a.count || Date.parse(b.at) - Date.parse(a.at)).slice(0, mostShown);
}
