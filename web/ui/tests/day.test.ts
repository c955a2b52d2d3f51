import { withFailures } from '../src/features/day/shown';
import { describe, expect, it } from 'vitest';
import type { Execution } from '../src/api/types';
import { aimOf, drawn, rowsOf } from '../src/features/day/bars';
import { comingOf, mostFirings, mostTasks, tasksToAsk, withoutExecutions } from '../src/features/day/further';
import { plannedAt, rerunsBefore } from '../src/features/day/reruns';
import { chosenOf, daysBegun, isDate, placeOf, rangeOf, ticksOf, hourToShow } from '../src/features/day/range';

const hour = 3600000;
const range = rangeOf('2026-11-26', 0, 24, true);
const services = new Map([['1', 'mail'], ['2', 'bills']]);
const at = (hours: number) => new Date(range.begin + hours * hour).toISOString();

function execution(id: string, task: string, from: number, to: number | null, state = 'succeeded'): Execution {
  return {
    id, task, project: 'p', service: services.get(task) ?? null, task_name: `task ${task}`, state, scheduled_at: at(from), ended_at: to === null ? null : at(to), started_at: at(from),
  } as unknown as Execution;
}

describe('ranges', () => {
  it('are a day, or hours of it', () => {
    expect(range.end - range.begin).toBe(24 * hour);
    expect(rangeOf('2026-11-26', 7, 6, true)).toEqual({ begin: range.begin + 7 * hour, end: range.begin + 13 * hour });
    expect(placeOf(range.begin + 7.5 * hour, true)).toEqual({ date: '2026-11-26', from: 7 });
    expect(ticksOf(range, 24)).toHaveLength(8);
  });
  it('need a date', () => {
    expect(isDate('2026-11-26')).toBe(true);
    expect(isDate('2026-13-26')).toBe(false);
    expect(isDate('')).toBe(false);
  });
});

describe('bars', () => {
  const rows = rowsOf([execution('c', '1', 5, 6), execution('a', '1', 1, 3), execution('b', '1', 2, 4), execution('d', '2', 4.9, null, 'running'), execution('e', '9', 1, 1)], range, range.begin + 10 * hour);
  it('stand by service, and those without one last', () => {
    expect(rows.map(({ service }) => service)).toEqual(['bills', 'mail', null]);
  });
  it('show what is to come, unless an execution stands for it', () => {
    const next = (task: string, hours: number, execution: string | null = null) => ({ at: at(hours), task, project: 'p', name: `task ${task}`, service: 'mail', execution });
    const [row] = rowsOf([execution('c', '1', 5, 6)], range, range.begin + 10 * hour, [next('1', 5, 'c'), next('3', 11), next('4', 30), next('5', 10.1, 'x')]);
    expect(row?.bars.map(({ id, path, state }) => [id, path, state])).toEqual([
      ['c', '/executions/c', 'succeeded'], ['x', '/executions/x', 'planned'], [`next-3-${range.begin + 11 * hour}`, '/tasks/3', 'planned'],
    ]);
  });
  it('take another lane where they would meet', () => {
    expect(rows[1]?.bars.map(({ id, lane }) => [id, lane])).toEqual([['a', 0], ['b', 1], ['c', 0]]);
    expect(rows[1]?.lanes).toBe(2);
  });
  it('last until now while they run', () => {
    expect(rows[0]?.bars[0]?.end).toBe(range.begin + 10 * hour);
  });
  it('are cut at the range', () => {
    const cut = rowsOf([execution('x', '1', -1, 30)], range, 0)[0]?.bars[0];
    expect(cut).toMatchObject(range);
  });
  it('share lanes when there are too many', () => {
    const many = Array.from({ length: 40 }, (_, n) => execution(String(n), '1', 1, 2));
    expect(rowsOf(many, range, 0)[0]?.lanes).toBe(12);
  });
  it('are drawn with failures above the others', () => {
    const bars = rowsOf([execution('f', '1', 1, 2, 'failed'), execution('s', '1', 2, 3)], range, 0)[0]?.bars ?? [];
    expect(drawn(bars).map(({ id }) => id)).toEqual(['s', 'f']);
  });
  it('are reached by arrows', () => {
    expect(aimOf(rows, 'a', 'ArrowRight')?.id).toBe('b');
    expect(aimOf(rows, 'a', 'ArrowLeft')).toBeUndefined();
    expect(aimOf(rows, 'c', 'ArrowUp')?.id).toBe('d');
    expect(aimOf(rows, 'd', 'ArrowDown')?.id).toBe('c');
    expect(aimOf(rows, 'a', 'End')?.id).toBe('c');
    expect(aimOf(rows, 'a', 'x')).toBeUndefined();
  });
});

describe('a shorter part of a day', () => {
  const day = { begin: Date.UTC(2026, 10, 26), end: Date.UTC(2026, 10, 27) };
  it('has the present in its middle', () => {
    expect(hourToShow(day, 6, true, Date.UTC(2026, 10, 26, 14, 30))).toBe(11);
    expect(hourToShow(day, 6, true, Date.UTC(2026, 10, 26, 23, 30))).toBe(18);
    expect(hourToShow(day, 24, true, Date.UTC(2026, 10, 26, 14))).toBe(0);
  });
  it('begins where the longer one began if the present is elsewhere', () => {
    expect(hourToShow(day, 1, true, Date.UTC(2026, 10, 28))).toBe(0);
  });
});

describe('a day with more executions than are read', () => {
  const one = (id: string) => ({ id, scheduled_at: `2026-11-26T0${id}:00:00Z` }) as Execution;
  it('includes the failed executions of its beginning, and says from when on it is complete', () => {
    const shown = withFailures({ items: [one('9'), one('8')], more: true }, { items: [one('8'), one('2')], more: false });
    expect(shown.items.map(({ id }) => id)).toEqual(['9', '8', '2']);
    expect(shown).toMatchObject({ allFrom: one('8').scheduled_at, failuresMissing: false });
  });
  it('is complete on a quiet day', () => {
    expect(withFailures({ items: [one('9')], more: false }, undefined)).toMatchObject({ allFrom: null });
  });
});

describe('what is to come', () => {
  const next = (task: string, hours: number, execution: string | null = null) => ({ at: at(hours), task, project: 'p', name: `task ${task}`, service: 'mail', execution });
  it('is asked of the tasks that fire first, each once', () => {
    expect(tasksToAsk([next('1', 1, 'x'), next('1', 2), next('2', 3)])).toEqual(['1', '2']);
    expect(tasksToAsk(Array.from({ length: 40 }, (_, n) => next(String(n), 1)))).toHaveLength(mostTasks);
  });
  it('is all firings of those that answered, and the next one of others', () => {
    const coming = comingOf([next('1', 1, 'x'), next('1', 2), next('2', 3)], false, [{ task: '1', times: [at(1), at(2), at(4), at(30)] }, { task: '2', times: undefined }], range.end);
    expect(coming.items).toEqual([next('1', 1, 'x'), next('2', 3), next('1', 2), next('1', 4)]);
    expect(coming).toMatchObject({ asked: 1, others: true, cut: [] });
  });
  it('may be more than is known of a task', () => {
    const often = Array.from({ length: mostFirings }, (_, n) => at(n / 60));
    expect(comingOf([next('1', 0)], false, [{ task: '1', times: often }], range.end)).toMatchObject({ others: false, cut: [{ task: '1', name: 'task 1', after: often.at(-1) }] });
    expect(comingOf([next('1', 0)], false, [{ task: '1', times: often }], range.begin + hour).cut).toEqual([]);
  });
  it('leaves out what has become an execution', () => {
    const executions = [{ id: 'x', task: '1', scheduled_at: at(1) }, { id: 'y', task: '2', scheduled_at: at(3) }];
    expect(withoutExecutions([next('1', 1, 'x'), next('1', 2, 'z'), next('2', 3), next('2', 4)], executions)).toEqual([next('1', 2, 'z'), next('2', 4)]);
  });
  it('may begin with the present hour, and goes on over midnight', () => {
    const late = Date.UTC(2026, 10, 26, 23, 30);
    expect(chosenOf({ date: '', from: 'now' }, true, late)).toEqual({ date: '2026-11-26', from: 23 });
    expect(chosenOf({ date: '2026-11-20', from: '99' }, true, late)).toEqual({ date: '2026-11-20', from: 23 });
    const ahead = rangeOf('2026-11-26', 23, 12, true);
    expect(ahead.end).toBe(Date.UTC(2026, 10, 27, 11));
    const ticks = ticksOf(ahead, 12);
    expect([...daysBegun(ticks, true)]).toEqual([Date.UTC(2026, 10, 27, 1)]);
  });
});

describe('what runs again', () => {
  it('stands where it ran, not where the failed one was scheduled', () => {
    const again = { ...execution('r', '1', 7, 8), cause: 'rerun', scheduled_at: at(-9), created_at: at(6) } as Execution;
    expect(rowsOf([again], range, 0)[0]?.bars[0]).toMatchObject({ again: true, begin: range.begin + 7 * hour, end: range.begin + 8 * hour });
    const waiting = { ...again, state: 'waiting', ended_at: null, started_at: null } as unknown as Execution;
    expect(rowsOf([waiting], range, 0)[0]?.bars[0]?.begin).toBe(range.begin + 6 * hour);
    expect(plannedAt({ cause: 'schedule', scheduled_at: at(1), created_at: at(0) })).toBe(at(1));
  });
  it('is looked for at the times of the failed ones', () => {
    const letter = (scheduled: number, resolved: number | null) => ({ scheduled_at: at(scheduled), resolved_at: resolved === null ? null : at(resolved) });
    expect(rerunsBefore([letter(-9, 7), letter(-30, -2), letter(2, 3), letter(-90, -80), letter(-5, 40), letter(-4, null)], range))
      .toEqual({ from: at(-30), until: new Date(range.begin - 9 * hour + 1).toISOString() });
    expect(rerunsBefore([letter(2, 3)], range)).toBeNull();
  });
});
