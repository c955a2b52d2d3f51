import { focusManager, QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventReader, type StreamEvent } from '../src/api/live/event_stream';
import { follow, type Surroundings } from '../src/api/live/follow';
import { invalidator } from '../src/api/live/invalidator';
import { SilenceWatch } from '../src/api/live/silence';
import { staleKeys, topicsOf } from '../src/api/live/topics';

describe('eventReader', () => {
  it('joins pieces, and tells of whole events only', () => {
    const told: StreamEvent[] = [];
    const retries: number[] = [];
    const take = eventReader({ event: (event) => told.push(event), retry: (ms) => retries.push(ms) });
    take('retry: 2000\n\nid: 7\nevent: chan');
    take('ged\r\ndata: {}\n');
    expect(told).toEqual([]);
    take('\n: a comment\nda');
    take('ta: one\ndata: two\n\n');
    expect(told).toEqual([
      { id: '7', name: 'changed', data: '{}' },
      { id: '7', name: 'message', data: 'one\ntwo' },
    ]);
    expect(retries).toEqual([2000]);
  });
});

describe('topicsOf', () => {
  it('reads the topics of a changed event', () => {
    expect(topicsOf({ name: 'changed', data: '{"topics":["tasks","dead_letters"]}' })).toEqual(['tasks', 'dead_letters']);
  });
  it('reads nothing from other events and from what it cannot read', () => {
    expect(topicsOf({ name: 'other', data: '{"topics":["tasks"]}' })).toEqual([]);
    expect(topicsOf({ name: 'changed', data: '{"topics":' })).toEqual([]);
    expect(topicsOf({ name: 'changed', data: '{}' })).toEqual([]);
    expect(topicsOf({ name: 'changed', data: 'null' })).toEqual([]);
  });
  it('makes tasks stale where their pause or their next firing changes', () => {
    expect(staleKeys(['nodes'])).toEqual([['nodes']]);
    expect(staleKeys(['services'])).toContainEqual(['tasks', 'one']);
    expect(staleKeys(['executions'])).toContainEqual(['tasks', 'next']);
  });
});

describe('what has changed', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    focusManager.setFocused(true);
  });
  afterEach(() => {
    focusManager.setFocused(undefined);
    vi.useRealTimers();
  });
  async function watched(staleTime: number) {
    const client = new QueryClient({ defaultOptions: { queries: { staleTime } } });
    const seen = { reads: 0, tasks: 0 };
    client.mount();
    const observe = (topic: string, count: () => void) => new QueryObserver(client, { queryKey: [topic], queryFn: () => { count(); return topic; } }).subscribe(() => undefined);
    const stop = [observe('nodes', () => { seen.reads += 1; }), observe('tasks', () => { seen.tasks += 1; }), () => client.unmount()];
    await vi.advanceTimersByTimeAsync(1000);
    return { seen, stale: invalidator(client), stop: () => stop.forEach((end) => end()) };
  }
  it('is read once for events that come together', async () => {
    const { seen, stale, stop } = await watched(60000);
    stale.tell(['nodes']);
    stale.tell(['nodes']);
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen).toEqual({ reads: 2, tasks: 1 });
    stop();
  });
  it.each([0, 60000])('is not read for a hidden page, and once when it is shown again (kept for %i ms)', async (staleTime) => {
    const { seen, stale, stop } = await watched(staleTime);
    focusManager.setFocused(false);
    stale.tell(['nodes']);
    await vi.advanceTimersByTimeAsync(1000);
    stale.tell(['nodes']);
    stale.tellBefore(1);
    await vi.advanceTimersByTimeAsync(5000);
    expect(seen.reads).toBe(1);
    focusManager.setFocused(true);
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen.reads).toBe(2);
    stop();
  });
  it('is read again where it is older than the stream', async () => {
    const { seen, stale, stop } = await watched(60000);
    stale.tellBefore(Date.now() + 1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen).toEqual({ reads: 2, tasks: 2 });
    stop();
  });
});

describe('follow', () => {
  function surroundings(answers: (() => Response)[]) {
    const stop = new AbortController();
    const seen = { ids: [] as string[], waits: [] as number[], states: [] as string[], first: [] as boolean[], refused: 0, pieces: 0 };
    const around: Surroundings = {
      open: async (lastId) => {
        seen.ids.push(lastId);
        const answer = answers.shift();
        if (!answer) throw new Error('lost');
        return answer();
      },
      wait: async (ms) => {
        seen.waits.push(ms);
        if (seen.waits.length === 3) stop.abort();
      },
      onState: (state) => seen.states.push(state),
      onPiece: () => { seen.pieces += 1; },
      onEvent: (_, first) => seen.first.push(first),
      onUnauthorized: () => {
        seen.refused += 1;
      },
    };
    return { around, seen, signal: stop.signal };
  }
  const changed = (id: number) => `id: a-${id}\nevent: changed\ndata: {"topics":[]}\n\n`;

  it('goes on from the last event, and waits longer from loss to loss', async () => {
    const { around, seen, signal } = surroundings([() => new Response(`retry: 2000\n\n${changed(1)}${changed(2)}`), () => { throw new Error('lost'); }]);
    await follow(around, signal);
    expect(seen.ids).toEqual(['', 'a-2', 'a-2']);
    expect(seen.waits).toEqual([2000, 2000, 4000]);
    expect(seen.first).toEqual([true, false]);
    expect(seen.pieces).toBe(1);
    expect(seen.states.slice(0, 2)).toEqual(['stream', 'poll']);
  });
  it('does not ask a server again that has no stream', async () => {
    const { around, seen, signal } = surroundings([() => new Response('', { status: 404 })]);
    await follow(around, signal);
    expect(seen).toMatchObject({ ids: [''], waits: [], states: ['poll'], refused: 0 });
  });
  it('asks for a token when it is refused', async () => {
    const { around, seen, signal } = surroundings([() => new Response('', { status: 401 })]);
    await follow(around, signal);
    expect(seen).toMatchObject({ ids: [''], refused: 1 });
  });
  it('leaves a server that has no room alone for as long as it says, and for a minute at least', async () => {
    const full = (seconds: string) => () => new Response('', { status: 503, headers: { 'Retry-After': seconds } });
    const { around, seen, signal } = surroundings([full('1'), full('120'), full('1')]);
    await follow(around, signal);
    expect(seen.waits).toEqual([60000, 120000, 60000]);
  });
});

describe('SilenceWatch', () => {
  function watched() {
    const told: (number | null)[] = [];
    const answers: { give: () => void; fail: () => void }[] = [];
    const watch = new SilenceWatch({
      ask: () => new Promise<void>((give, fail) => answers.push({ give, fail: () => fail(new Error('lost')) })),
      tell: (since) => told.push(since),
    });
    watch.heard(0);
    return { watch, told, answers };
  }
  it('asks a silent server, and reports it when the question has had no answer for long', () => {
    const { watch, told, answers } = watched();
    watch.tick(4999);
    expect(answers).toHaveLength(0);
    watch.tick(5000);
    watch.tick(9999);
    expect([answers.length, told]).toEqual([1, [null]]);
    watch.tick(10000);
    expect(told).toEqual([null, 5000]);
    watch.heard(12000);
    expect(told.at(-1)).toBeNull();
  });
  it('asks again after a failure, and counts from the first question', async () => {
    const { watch, told, answers } = watched();
    watch.tick(5000);
    answers[0]?.fail();
    await Promise.resolve();
    await Promise.resolve();
    watch.tick(10000);
    expect([answers.length, told.at(-1)]).toEqual([2, 5000]);
  });
  it('does not take its own sleep for silence', () => {
    const { watch, told } = watched();
    watch.tick(3_600_000);
    expect(told).toEqual([null]);
  });
});
