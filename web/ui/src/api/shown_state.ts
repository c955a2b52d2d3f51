import type { Execution } from './types';

type Timed = Pick<Execution, 'state' | 'scheduled_at' | 'due_at' | 'reason'>;

/** True for one that is due and that something keeps back: a limit, a pause, or the lack of a client. */
function waits({ state, scheduled_at: scheduled, due_at: due, reason }: Timed, now: number): boolean {
  return state === 'planned' && reason !== null && Date.parse(due ?? scheduled) <= now;
}

/** The ledger has `waiting` only for limits. For people, whatever is due and is kept back waits. */
export function asShown<One extends Timed>(one: One, now = Date.now()): One {
  return waits(one, now) ? { ...one, state: 'waiting' } : one;
}

/** The states to ask for. With `planned=false` the planned ones among them are those that are due. */
export function statesAsked(chosen: string, planned: boolean): Execution['state'][] | undefined {
  if (chosen === '') return undefined;
  const states = chosen.split(',') as Execution['state'][];
  return states.includes('waiting') && !planned && !states.includes('planned') ? ['planned', ...states] : states;
}
