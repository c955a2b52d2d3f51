import { describe, expect, it } from 'vitest';
import { firstStep, lettersOf, nothingYet, oneTask, withStep } from '../src/features/dead-letters/letters';
import { labels } from '../src/features/tasks/labels';

describe('oneTask', () => {
  it('is the task that all dead letters are of', () => {
    expect(oneTask([{ task: '1' }, { task: '1' }])).toBe('1');
    expect(oneTask([{ task: '1' }, { task: '2' }])).toBe('');
    expect(oneTask([])).toBe('');
  });
});

describe('lettersOf', () => {
  const none = { task: '', project: '', service: '', error: '', broadcast: '' };
  it('is each filter that the list has, and all without any', () => {
    expect(lettersOf({ ...none, service: 's', error: 'disk' })).toEqual({ service: 's', error: 'disk' });
    expect(lettersOf(none)).toEqual({});
  });
});

describe('dead letters in steps', () => {
  const step = (execution: string, outcome: 'retried' | 'still_runs', count: number) =>
    ({ items: [{ execution, outcome, rerun: null }], done: outcome === 'retried' ? 1 : 0, refused: outcome === 'retried' ? 0 : 1, remaining: { count, more: false } });
  it('are summed up, with those that were refused', () => {
    const sum = [step('1', 'retried', 2), step('2', 'still_runs', 1), step('3', 'retried', 0)].reduce(withStep, nothingYet);
    expect(sum).toEqual({ done: 2, refused: 1, left: [{ execution: '2', outcome: 'still_runs', rerun: null }], remaining: { count: 0, more: false } });
  });
  it('keep only the first of many that were refused', () => {
    const many = Array.from({ length: 30 }, (_, n) => step(String(n), 'still_runs', 0)).reduce(withStep, nothingYet);
    expect([many.refused, many.left.length]).toEqual([30, 20]);
  });
});

describe('labels', () => {
  it('are names with values', () => {
    expect(['team:billing', 'team:billing,env:production', 'a.b/c-d:', 'team:账单'].every((text) => labels.test(text))).toBe(true);
    expect(['team', 'Team:billing', 'team:billing,', ':x', 'team:a\u0007'].some((text) => labels.test(text))).toBe(false);
  });
});

describe('the first request for many dead letters', () => {
  it('leaves it to the server which ones have died by now', () => {
    expect(firstStep({ project: 'p' })).toEqual({ project: 'p', all: true });
    expect(firstStep({ executions: ['1'] })).toEqual({ executions: ['1'] });
  });
});
