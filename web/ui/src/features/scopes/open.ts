import type { Execution } from '@/api/types';

/** How many of the executions of a service or project run, and how many are due and wait. `more`: there are others. */
export interface Open {
  running: number;
  waiting: number;
  more: boolean;
}

const atClients: Execution['state'][] = ['running', 'stopping'];

export function openOf(executions: Pick<Execution, 'state'>[], more: boolean): Open {
  const running = executions.filter(({ state }) => atClients.includes(state)).length;
  return { running, waiting: executions.length - running, more };
}
