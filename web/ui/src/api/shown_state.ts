import type { Execution } from './types';

type Timed = Pick<Execution, 'state' | 'scheduled_at' | 'due_at' | 'reason'>;

/** True for an execution that is due and kept back by a limit, a pause, or the lack of a client. */
function waits({ state, scheduled_at: scheduled, due_at: due, reason }: Timed, now: number): boolean {
  return state === 'planned' && reason !== null && Date.parse(due ?? scheduled) <= now;
}

/** The ledger has `waiting` only for limits. The page shows `waiting` for each execution that is due and kept back. */
export function asShown<One extends Timed>(one: One, now = Date.now()): One {
  return waits(one, now) ? { ...one, state: 'waiting' } : one;
}

/** The states to ask for. With `planned=false` the server returns only those planned executions that are due. */
export function statesAsked(chosen: string, planned: boolean): Execution['state'][] | undefined {
  if (chosen === '') return undefined;
  const states = chosen.split(',') as Execution['state'][];
  return states.includes('waiting') && !planned && !states.includes('planned') ? ['planned', ...states] : states;
}
