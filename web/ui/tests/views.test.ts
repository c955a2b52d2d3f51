import { beforeEach, describe, expect, it, vi } from 'vitest';
import { sameSearch, withView } from '../src/shared/views';
import { isLow } from '../src/shared/below';

const kept = new Map<string, string>();

describe('a view', () => {
  it('replaces the one of its name, and stands in order of name', () => {
    const views = [{ name: 'b', search: 'x=1' }];
    expect(withView(withView(views, { name: 'a', search: 'y=1' }), { name: 'b', search: 'z=1' })).toEqual([{ name: 'a', search: 'y=1' }, { name: 'b', search: 'z=1' }]);
  });
  it('is known by its filters, in whatever order', () => {
    expect(sameSearch('a=1&b=2', 'b=2&a=1')).toBe(true);
    expect(sameSearch('a=failed%2Ctimed_out', 'a=failed,timed_out')).toBe(true);
    expect(sameSearch('a=1', 'a=2')).toBe(false);
  });
});

describe('what the browser keeps', () => {
  beforeEach(() => {
    kept.clear();
    vi.resetModules();
    vi.stubGlobal('localStorage', { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, text: string) => kept.set(key, text) });
  });
  const areTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');
  it('comes back, and is told to all who listen', async () => {
    const { stored } = await import('../src/shared/stored');
    const one = stored<string[]>('k', areTexts, ['first']);
    const tell = vi.fn();
    one.subscribe(tell);
    expect(one.read()).toEqual(['first']);
    stored<string[]>('k', areTexts, []).write(['x']);
    expect([one.read(), tell.mock.calls.length, kept.get('k')]).toEqual([['x'], 1, '["x"]']);
  });
  it('counts as absent when it does not fit or is no JSON', async () => {
    const { stored } = await import('../src/shared/stored');
    kept.set('a', '{"x":1}');
    kept.set('b', '{');
    expect([stored<string[]>('a', areTexts, ['z']).read(), stored<string[]>('b', areTexts, ['z']).read()]).toEqual([['z'], ['z']]);
  });
});

describe('a list of choices', () => {
  it('gets room below its field', () => {
    expect(isLow(700, 844)).toBe(true);
    expect(isLow(300, 844)).toBe(false);
  });
});
