import type { Execution, State } from '@/api/types';

const open: State[] = ['planned', 'waiting', 'running', 'stopping', 'retrying'];

export function canCancel({ state, cancel_requested_at: asked }: Pick<Execution, 'state' | 'cancel_requested_at'>): boolean {
  return open.includes(state) && asked === null;
}

/** Those that failed for good are dead letters, and these can be run again. A broadcast itself is none: its shards are. */
export function canRetry({ state, parent, shard_total: shards }: Pick<Execution, 'state' | 'parent' | 'shard_total'>): boolean {
  return (state === 'failed' || state === 'timed_out') && (parent !== null || shards <= 1);
}
