import type { Letters } from './queries';

/** The open dead letters that a list without a selection means: those of its task, else of its project, else all. */
export function lettersOf(task: string, project: string): Letters {
  if (task !== '') return { task };
  return project === '' ? { all: true } : { project };
}

export function kindOf(letters: Letters): 'chosen' | 'task' | 'project' | 'all' {
  if ('executions' in letters) return 'chosen';
  if ('task' in letters) return 'task';
  return 'project' in letters ? 'project' : 'all';
}
