import { afterEach, describe, expect, it, vi } from 'vitest';
import { differences } from '../src/shared/differences';
import { parseAnswer, parseJson, rounded, writeJson } from '../src/shared/exact_json';
import { comparable, definitionOf, taskDraftOf } from '../src/features/tasks/form/task_draft';
import type { Task } from '../src/api/types';

const numbers = '{"id":9007199254740993,"max":18446744073709551615,"one":1.0,"tiny":1e-07,"huge":1e+400,"zero":-0,"pi":3.141592653589793238,"plain":[1,-2.5,0,1e+22]}';

describe('exact JSON', () => {
  it('writes each number as it was read', () => {
    expect(JSON.stringify(JSON.parse(numbers))).not.toBe(numbers);
    expect(writeJson(parseJson(numbers))).toBe(numbers);
    expect(writeJson(parseJson('[1.0, {"a": 2}]'), 2)).toBe('[\n  1.0,\n  {\n    "a": 2\n  }\n]');
    for (const text of ['9007199254740993', '-0', '[-0]', '{"a":1.0}', '[1,2.50]', '{"a":[1E5]}', '[[],1e5]']) expect(writeJson(parseJson(text))).toBe(text);
    expect(writeJson(parseJson(' {"a" :\n 1.0 } '))).toBe('{"a":1.0}');
  });
  it('reads all else as JSON.parse does', () => {
    for (const text of [String.raw`{"a\"1.0":"1.0, \\","b":[true,null,"é 1.50"]}`, '"1.0"', '[]', '12']) expect(parseJson(text)).toEqual(JSON.parse(text));
    for (const text of ['{"a": 01}', '{"a": 1.}', '[1.0', '{"a" 1.0}', '']) expect(() => parseJson(text)).toThrow(SyntaxError);
    expect(writeJson(undefined)).toBe('');
    const long = { text: 'a"\\'.repeat(1000000), numbers: [1.5] };
    expect(parseJson(JSON.stringify(long))).toEqual(long);
  });
  it('keeps numbers of payloads to the letter, and of others those that would be rounded', () => {
    const answer = parseAnswer('{"rate":2.0,"seed":9007199254740993,"definition":{"payload":{"deep":[{"share":2.0}]}}}') as { rate: number };
    expect(answer.rate).toBe(2);
    expect(writeJson(answer)).toBe('{"rate":2,"seed":9007199254740993,"definition":{"payload":{"deep":[{"share":2.0}]}}}');
    expect(rounded(answer)).toEqual({ rate: 2, seed: 9007199254740992, definition: { payload: { deep: [{ share: 2 }] } } });
  });
  it('tells numbers apart that JavaScript holds as the same', () => {
    const of = (text: string) => ({ payload: parseJson(text) });
    expect(differences(of('{"id":9007199254740993}'), of('{"id":9007199254740993}'))).toEqual([]);
    expect(differences(of('{"id":9007199254740993}'), of('{"id":9007199254740992}')).map(({ field }) => field)).toEqual(['payload.id']);
  });
});

describe('the form of a task', () => {
  it('sends a payload that was not edited as the server gave it', () => {
    const text = `{"id":"1","name":"bill","service":"s","handler":"h","payload":${numbers},"schedule":{"kind":"api"}}`;
    const base = taskDraftOf(parseAnswer(text) as Task, 'UTC');
    const draft = { ...base, description: 'another' };
    expect(writeJson(definitionOf(draft, base))).toContain(`"payload":${numbers}`);
    expect(differences(...(Object.values(comparable(base, draft)) as [unknown, unknown])).map(({ field }) => field)).toEqual(['description']);
  });
});

describe('the client of the API', () => {
  afterEach(() => vi.unstubAllGlobals());
  it('sends the payload of an older version as it came', async () => {
    const sent: string[] = [];
    vi.stubGlobal('sessionStorage', { getItem: () => null });
    vi.stubGlobal('window', {
      location: { origin: 'http://127.0.0.1' },
      fetch: async (request: Request) => {
        if (request.method === 'PUT') sent.push(await request.text());
        return new Response(`{"definition":{"name":"bill","payload":${numbers}}}`, { headers: { 'Content-Type': 'application/json' } });
      },
    });
    const { api, unwrap } = await import('../src/api/client');
    const version = (await unwrap(api.GET('/api/v1/tasks/{id}', { params: { path: { id: '1' } } }))) as unknown as { definition: never };
    await unwrap(api.PUT('/api/v1/tasks/{id}', { params: { path: { id: '1' }, header: { 'If-Match': '"1"' } }, body: version.definition }));
    expect(sent).toEqual([`{"name":"bill","payload":${numbers}}`]);
  });
});
