import type { Task } from '@/api/types';

/** The zone of a task's schedule; kinds without a clock have none. */
export function zoneOf(task: Pick<Task, 'schedule'>): string | undefined {
  return 'zone' in task.schedule ? task.schedule.zone : undefined;
}
