import { describe, expect, it } from 'vitest';
import { kindOf, lettersOf } from '../src/features/dead-letters/letters';
import { labels } from '../src/features/tasks/labels';

describe('lettersOf', () => {
  it('means the narrowest that the page shows', () => {
    expect(lettersOf('7', 'p')).toEqual({ task: '7' });
    expect(lettersOf('', 'p')).toEqual({ project: 'p' });
    expect(lettersOf('', '')).toEqual({ all: true });
    expect([lettersOf('7', ''), lettersOf('', 'p'), lettersOf('', ''), { executions: ['1'] }].map(kindOf)).toEqual(['task', 'project', 'all', 'chosen']);
  });
});

describe('labels', () => {
  it('are names with values', () => {
    expect(['team:billing', 'team:billing,env:production', 'a.b/c-d:', 'team:账单'].every((text) => labels.test(text))).toBe(true);
    expect(['team', 'Team:billing', 'team:billing,', ':x', 'team:a\u0007'].some((text) => labels.test(text))).toBe(false);
  });
});
