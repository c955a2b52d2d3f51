import type { Letters } from './queries';

/** The open dead letters that a list without a selection means: those of its broadcast, else of its task, else of its project, else all. */
export function lettersOf({ broadcast, task, project }: { broadcast: string; task: string; project: string }): Letters {
  if (broadcast !== '') return { broadcast };
  if (task !== '') return { task };
  return project === '' ? { all: true } : { project };
}

export function kindOf(letters: Letters): 'chosen' | 'broadcast' | 'task' | 'project' | 'all' {
  if ('executions' in letters) return 'chosen';
  if ('broadcast' in letters) return 'broadcast';
  if ('task' in letters) return 'task';
  return 'project' in letters ? 'project' : 'all';
}
