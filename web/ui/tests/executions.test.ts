import { describe, expect, it } from 'vitest';
import { asShown, statesAsked } from '../src/api/shown_state';
import { attemptsOf, givenUp } from '../src/features/executions/attempts';
import { dismissedAt } from '../src/features/executions/dismissed';
import { commonOf } from '../src/features/dead-letters/payloads';
import { lastLines, outputsOf, printedBy } from '../src/features/executions/outputs';
import { everyProject, filterNames, projectOf, queryOf, type Values } from '../src/features/executions/list_query';
import { canCancel, canRetry } from '../src/features/executions/possible';
import { lagOf, tookMs } from '../src/features/executions/times_of';
import { beginOf, instantOf, isSpan, localOf } from '../src/features/executions/span';
import { parseJson } from '../src/shared/exact_json';
import { partsOf } from '../src/shared/moments_in_text';

describe('attempts', () => {
  it('count those that were lost with their clients apart', () => {
    expect(attemptsOf({ attempt: 2, max_attempts: 3, deaths: 0 })).toEqual({ n: 2, of: 3, deaths: 0 });
    expect(attemptsOf({ attempt: 3, max_attempts: 4, deaths: 1 })).toEqual({ n: 2, of: 3, deaths: 1 });
  });
  it('do not count below one when a death ends the execution', () => {
    expect(attemptsOf({ attempt: 3, max_attempts: 3, deaths: 3 })).toEqual({ n: 1, of: 1, deaths: 3 });
  });
});

describe('attempts without a beginning', () => {
  const begun = '2026-11-26T09:00:00Z';
  const first = { attempt: 1, cause: 'first' as const, started_at: null };
  const second = { attempt: 2, cause: 'take_over' as const, started_at: begun };
  it('are listed with the reason for which they were given up, and do not count', () => {
    expect(givenUp([first, second])).toEqual([{ attempt: 1, why: 'take_over' }]);
    expect(givenUp([{ ...first, started_at: begun }, second])).toEqual([]);
    expect(givenUp([first])).toEqual([]);
    expect(attemptsOf({ attempt: 2, max_attempts: 2, deaths: 0, attempts: [first, second] })).toEqual({ n: 1, of: 1, deaths: 0 });
  });
  it('are recognised in a list, which has only the first attempt', () => {
    expect(attemptsOf({ attempt: 2, max_attempts: 2, deaths: 0, first_attempt: first })).toEqual({ n: 1, of: 1, deaths: 0 });
    expect(attemptsOf({ attempt: 2, max_attempts: 3, deaths: 0, first_attempt: { started_at: begun } })).toEqual({ n: 2, of: 3, deaths: 0 });
  });
});

describe('the times of an execution', () => {
  const started_at = '2026-11-26T09:05:01Z';
  it('count from the request for a rerun, which has the scheduled time of the failed execution', () => {
    const times = { scheduled_at: '2026-11-26T09:00:00Z', created_at: '2026-11-26T09:05:00Z', started_at };
    expect(lagOf({ ...times, cause: 'schedule' })).toBe(301_000);
    expect(lagOf({ ...times, cause: 'rerun' })).toBe(1000);
    expect(lagOf({ ...times, cause: 'rerun', started_at: null })).toBeNull();
  });
  it('end with the execution', () => {
    expect(tookMs({ started_at, ended_at: '2026-11-26T09:05:03Z' })).toBe(2000);
    expect(tookMs({ started_at, ended_at: null })).toBeNull();
    expect(tookMs({ started_at: null, ended_at: '2026-11-26T09:05:03Z' })).toBeNull();
  });
});

describe('the filters of the list', () => {
  const none = Object.fromEntries(filterNames.map((name) => [name, ''])) as Values;
  it('ask for late executions only when that is chosen', () => {
    expect(queryOf({ ...none, late: 'true' }, undefined)).toMatchObject({ late: true, planned: false });
    expect(queryOf(none, undefined).late).toBeUndefined();
  });
  it('are of the project of the address before that of all pages, or of all projects', () => {
    expect([projectOf('', 'shop'), projectOf('bank', 'shop'), projectOf(everyProject, 'shop'), projectOf('', '')]).toEqual(['shop', 'bank', '', '']);
  });
});

describe('what can be done with an execution', () => {
  it('is to cancel it while it is open and nobody has asked for that', () => {
    expect(canCancel({ state: 'waiting', cancel_requested_at: null })).toBe(true);
    expect(canCancel({ state: 'running', cancel_requested_at: '2026-01-01T00:00:00.000000Z' })).toBe(false);
    expect(canCancel({ state: 'failed', cancel_requested_at: null })).toBe(false);
  });
  it('is to run it again once it failed, if it is no broadcast', () => {
    expect(canRetry({ state: 'timed_out', parent: null, shard_total: 1 })).toBe(true);
    expect(canRetry({ state: 'failed', parent: '7', shard_total: 3 })).toBe(true);
    expect(canRetry({ state: 'failed', parent: null, shard_total: 3 })).toBe(false);
    expect(canRetry({ state: 'succeeded', parent: null, shard_total: 1 })).toBe(false);
  });
});

describe('a dismissed execution', () => {
  const letter = (execution: string, died: number) => ({ execution, died_at: new Date(died * 1000).toISOString(), resolved_at: `dismissal of ${execution}` });
  function pages(...all: ReturnType<typeof letter>[][]) {
    const asked: (string | undefined)[] = [];
    const read = async (after: string | undefined) => {
      asked.push(after);
      const page = Number(after ?? 0);
      return { items: all[page] ?? [], next: page + 1 < all.length ? String(page + 1) : null };
    };
    return { asked, read };
  }
  const ended = (id: string, at: number) => ({ id, ended_at: new Date(at * 1000).toISOString() });
  it('is found among the dismissed dead letters of its task', async () => {
    const { read } = pages([letter('9', 900)], [letter('8', 800), letter('7', 700)]);
    expect(await dismissedAt(ended('7', 700), read)).toBe('dismissal of 7');
    expect(await dismissedAt(ended('6', 600), read)).toBeNull();
    expect(await dismissedAt(ended('6', 600), pages([]).read)).toBeNull();
  });
  it('is not looked for among those that died long before', async () => {
    const { read, asked } = pages([letter('9', 900), letter('1', 100)], [letter('0', 50)]);
    expect(await dismissedAt(ended('8', 800), read)).toBeNull();
    expect(asked).toEqual([undefined]);
  });
});

describe('the time of a list', () => {
  it('begins at a full minute', () => {
    expect(beginOf('1h', Date.UTC(2026, 0, 1, 12, 30, 45))).toBe('2026-01-01T11:30:00.000Z');
    expect([isSpan('7d'), isSpan('toString')]).toEqual([true, false]);
  });
  it('is the same after a way through the field', () => {
    expect(instantOf(localOf('2026-11-26T04:22:00.000Z'))).toBe('2026-11-26T04:22:00.000Z');
    expect([localOf('soon'), instantOf('')]).toEqual(['', '']);
  });
});

describe('a sentence of the server', () => {
  it('is cut at its times', () => {
    expect(partsOf('it waits since 2026-11-26T04:16:31.643060Z, alone')).toEqual([
      { text: 'it waits since ', isTime: false }, { text: '2026-11-26T04:16:31.643060Z', isTime: true }, { text: ', alone', isTime: false },
    ]);
    expect(partsOf('')).toEqual([]);
  });
});

describe('the result of a command', () => {
  it('is shown as what it printed', () => {
    expect(outputsOf({ stdout: 'done\n', stderr: '', exit: 0 })).toEqual({ stdout: 'done\n', stderr: '', rest: { exit: 0 } });
  });
  it('shows the cause of a failure in its last lines', () => {
    expect(lastLines({ stdout: '', stderr: 'a\nb\n\nc\nd\n' })).toBe('b\nc\nd');
    expect(lastLines({ sum: 3 })).toBe('');
  });
  it('is of another form for other handlers', () => {
    for (const other of [null, 7, 'text', ['x'], {}, { stdout: 'x' }, { stdout: 1, stderr: 2 }]) expect(outputsOf(other)).toBeNull();
  });
});

describe('an execution that is due and planned', () => {
  const one = { state: 'planned' as const, scheduled_at: '2026-11-26T09:00:00Z', due_at: '2026-11-26T09:00:00Z', reason: 'no client of service fax' };
  const now = Date.parse('2026-11-26T09:00:01Z');
  it('is shown as waiting if something keeps it back', () => {
    expect(asShown(one, now).state).toBe('waiting');
    expect(asShown({ ...one, reason: null }, now).state).toBe('planned');
    expect(asShown({ ...one, due_at: '2026-11-26T09:01:00Z' }, now).state).toBe('planned');
    expect(asShown({ ...one, state: 'retrying' as const }, now).state).toBe('retrying');
  });
  it('is found by the filters for waiting and for open executions', () => {
    expect(statesAsked('waiting', false)).toEqual(['planned', 'waiting']);
    expect(statesAsked('waiting,running,retrying', false)).toEqual(['planned', 'waiting', 'running', 'retrying']);
    expect(statesAsked('waiting', true)).toEqual(['waiting']);
    expect(statesAsked('failed,timed_out', false)).toEqual(['failed', 'timed_out']);
    expect(statesAsked('', false)).toBeUndefined();
  });
});

describe('the error that a list shows', () => {
  const one = (state: string, attempt: number, stderr: string) =>
    ({ state, attempt, first_attempt: { result: { exit: 3, stdout: '', stderr } } }) as unknown as Parameters<typeof printedBy>[0];
  it('is the last line that the command printed, if the output is that of the last attempt', () => {
    expect(printedBy(one('failed', 1, 'Traceback\n  line 1\nKeyError: day\n\n'))).toBe('KeyError: day');
    expect(printedBy(one('failed', 2, 'no disk'))).toBe('');
    expect(printedBy(one('succeeded', 1, 'a warning'))).toBe('');
    expect(printedBy(one('timed_out', 1, ''))).toBe('');
  });
});

describe('the payload of dead letters that run again', () => {
  it('begins with the one that they have in common', () => {
    const exact = (text: string) => parseJson(text);
    expect(commonOf([{ day: 1 }, { day: 1 }])).toEqual({ payload: { day: 1 } });
    expect(commonOf([{ day: 1 }, { day: 2 }])).toBe('differ');
    expect(commonOf([exact('{"n":9007199254740993}'), exact('{"n":9007199254740992}')])).toBe('differ');
  });
  it('is unknown if one of them is', () => {
    expect(commonOf([{ day: 1 }, null])).toBe('differ');
    expect(commonOf([])).toBe('differ');
  });
});
