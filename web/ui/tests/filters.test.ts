import { describe, expect, it } from 'vitest';
import { kindOf, lettersOf } from '../src/features/dead-letters/letters';
import { labels } from '../src/features/tasks/labels';

describe('lettersOf', () => {
  const of = (task: string, project: string, broadcast = '') => lettersOf({ task, project, broadcast });
  it('means the narrowest that the page shows', () => {
    expect(of('7', 'p')).toEqual({ task: '7' });
    expect(of('', 'p')).toEqual({ project: 'p' });
    expect(of('', '')).toEqual({ all: true });
    expect(of('7', 'p', '9')).toEqual({ broadcast: '9' });
    expect([of('7', ''), of('', 'p'), of('', ''), { executions: ['1'] }].map(kindOf)).toEqual(['task', 'project', 'all', 'chosen']);
  });
});

describe('labels', () => {
  it('are names with values', () => {
    expect(['team:billing', 'team:billing,env:production', 'a.b/c-d:', 'team:账单'].every((text) => labels.test(text))).toBe(true);
    expect(['team', 'Team:billing', 'team:billing,', ':x', 'team:a\u0007'].some((text) => labels.test(text))).toBe(false);
  });
});
