import type { Execution, NextFiring, State } from '@/api/types';
import { withoutExecutions } from './further';
import type { Range } from './range';
import { plannedAt } from './reruns';

export interface Bar {
  id: string;
  /** Its page: of the execution, or of the task if the firing is none yet. */
  path: string;
  name: string;
  state: State;
  /** It runs an execution again that failed. */
  again: boolean;
  /** Where it begins and ends in the range, which may cut it. */
  begin: number;
  end: number;
  startedAt: string;
  endedAt: string | null;
  lane: number;
}

export interface Row {
  key: string;
  /** Null: of versions of tasks that are not known any more. */
  service: string | null;
  project: string;
  lanes: number;
  bars: Bar[];
}

const mostLanes = 12;
/** The least length of a bar in the drawing, in percent of the range. */
export const shortestShown = 0.4;
const running = ['running', 'stopping', 'retrying'];

function timesOf(one: Execution, now: number): { startedAt: string; begin: number; end: number } {
  const startedAt = one.started_at ?? plannedAt(one);
  const begin = Date.parse(startedAt);
  const end = one.ended_at ? Date.parse(one.ended_at) : running.includes(one.state) ? now : begin;
  return { startedAt, begin, end: Math.max(begin, end) };
}

/** Gives each bar a lane in which it meets none before it. When all lanes are taken, the one that is free first. */
function place(bars: Bar[], shortest: number): number {
  const free: number[] = [];
  for (const bar of bars) {
    let lane = free.findIndex((until) => until <= bar.begin);
    if (lane < 0) lane = free.length < mostLanes ? free.length : free.indexOf(Math.min(...free));
    bar.lane = lane;
    free[lane] = Math.max(bar.end, bar.begin + shortest);
  }
  return Math.max(1, free.length);
}

function rowOf(rows: Map<string, Row>, project: string, service: string | null): Row {
  const key = JSON.stringify([project, service]);
  const row = rows.get(key) ?? { key, service, project, lanes: 1, bars: [] };
  rows.set(key, row);
  return row;
}

/** The firings of tasks that are no executions yet, as bars without a length. */
function addComing(rows: Map<string, Row>, coming: NextFiring[], executions: Execution[], range: Range) {
  for (const { at, task, project, name, service, execution } of withoutExecutions(coming, executions)) {
    const begin = Date.parse(at);
    if (begin < range.begin || begin >= range.end) continue;
    const path = execution === null ? `/tasks/${task}` : `/executions/${execution}`;
    rowOf(rows, project, service).bars.push({ id: execution ?? `next-${task}-${begin}`, path, name, state: 'planned', again: false, startedAt: at, endedAt: null, lane: 0, begin, end: begin });
  }
}

/** The executions and the firings to come as bars, in a row for each service. */
export function rowsOf(executions: Execution[], range: Range, now: number, coming: NextFiring[] = []): Row[] {
  const rows = new Map<string, Row>();
  addComing(rows, coming, executions, range);
  for (const one of executions) {
    const { startedAt, begin, end } = timesOf(one, now);
    if (begin >= range.end || end < range.begin) continue;
    rowOf(rows, one.project, one.service).bars.push({
      id: one.id, path: `/executions/${one.id}`, name: one.task_name ?? one.task, state: one.state, again: one.cause === 'rerun', startedAt, endedAt: one.ended_at, lane: 0,
      begin: Math.max(begin, range.begin), end: Math.min(end, range.end),
    });
  }
  const shortest = ((range.end - range.begin) * shortestShown) / 100;
  const all = [...rows.values()].sort((a, b) => a.project.localeCompare(b.project) || (a.service ?? '\uffff').localeCompare(b.service ?? '\uffff'));
  for (const row of all) {
    row.bars.sort((a, b) => a.begin - b.begin || a.name.localeCompare(b.name));
    row.lanes = place(row.bars, shortest);
  }
  return all;
}

const failures: readonly State[] = ['failed', 'timed_out'];

/** The bars in the order in which they are drawn: a failure lies above those that would cover it. */
export function drawn(bars: Bar[]): Bar[] {
  const isFailure = ({ state }: Bar) => failures.includes(state);
  return [...bars.filter((bar) => !isFailure(bar)), ...bars.filter(isFailure)];
}

/** The bar that a key leads to; undefined for other keys, and at an end. */
export function aimOf(rows: Row[], id: string, key: string): Bar | undefined {
  const at = rows.findIndex(({ bars }) => bars.some((bar) => bar.id === id));
  const bars = rows[at]?.bars ?? [];
  const place = bars.findIndex((bar) => bar.id === id);
  const bar = bars[place];
  if (!bar) return undefined;
  const nearest = (row: Row | undefined) =>
    row?.bars.reduce((best, one) => (Math.abs(one.begin - bar.begin) < Math.abs(best.begin - bar.begin) ? one : best));
  switch (key) {
    case 'ArrowRight': return bars[place + 1];
    case 'ArrowLeft': return bars[place - 1];
    case 'ArrowDown': return nearest(rows[at + 1]);
    case 'ArrowUp': return nearest(rows[at - 1]);
    case 'Home': return bars[0];
    case 'End': return bars.at(-1);
    default: return undefined;
  }
}
