import { describe, expect, it } from 'vitest';
import { draftOf as calendarDraft, calendarOf, contentOf } from '../src/features/calendars/draft';
import { dayAt, hasDate, isSpan, isYearly, toggled } from '../src/features/calendars/days';
import { countOf, monthsOf } from '../src/features/calendars/year';
import { draftOf, furtherDefaults, nextOf, settingsOf } from '../src/features/scopes/limits';
import type { ServiceSettings, StoredCalendar } from '../src/api/types';
import { openOf } from '../src/features/scopes/open';

describe('settings', () => {
  const settings = {
    limits: { concurrency: 3, rate: { limit: 10, per_ms: 60000, burst: 5 } },
    defaults: { max_attempts: 2, timeout_ms: 1500, zone: 'Europe/Berlin', priority: 1, rate: { limit: 5, per_ms: 2000, burst: 9 }, context: [], misfire: { action: 'skip' } },
  } as unknown as ServiceSettings;
  it('stay the same through the form', () => {
    expect(settingsOf(draftOf(settings), furtherDefaults(settings))).toEqual(settings);
    expect(furtherDefaults(settings)).toEqual({ misfire: { action: 'skip' } });
  });
  it('lose what was emptied', () => {
    const draft = { ...draftOf(settings), rate: 0, attempts: '' as const, zone: '', priority: '' as const, taskRate: '' as const, context: undefined };
    expect(settingsOf(draft, {})).toEqual({ limits: { concurrency: 3 }, defaults: { timeout_ms: 1500 } });
  });
  it('tell a default of nothing from none', () => {
    const draft = { ...draftOf({} as ServiceSettings), priority: 0, taskRate: 0, context: [] };
    expect(settingsOf(draft, {}).defaults).toEqual({ priority: 0, rate: { limit: 0 }, context: [] });
  });
  it('of another person do not replace the present entries', () => {
    const base = { version: 4, settings };
    const present = { version: 5, settings: { limits: { concurrency: 9 } } as ServiceSettings };
    const same = settingsOf(draftOf(settings), furtherDefaults(settings));
    const entered = settingsOf({ ...draftOf(settings), concurrency: 7 }, {});
    expect(nextOf(base, base, entered)).toBe('stay');
    expect(nextOf(base, present, same)).toBe('take');
    expect(nextOf(base, present, settingsOf(draftOf(present.settings), {}))).toBe('take');
    expect(nextOf(base, present, entered)).toBe('warn');
    expect(nextOf(base, present, undefined)).toBe('warn');
    expect(nextOf(present, base, entered)).toBe('stay');
  });
});

describe('a calendar', () => {
  const stored = {
    project: 'billing', name: 'bank', description: '', zone: 'UTC', dates: ['2026-12-24/2026-12-26'], yearly: ['01-01'],
    weekly: [{ days: ['mon'], from: '09:00', until: '12:00' }, { days: ['sat', 'sun'] }],
  } as unknown as StoredCalendar;
  it('stays the same through the form', () => {
    expect(calendarOf(calendarDraft(stored, '', 'UTC'))).toEqual({
      project: 'billing', name: 'bank', description: '', zone: 'UTC', dates: stored.dates, yearly: stored.yearly, weekly: stored.weekly,
    });
  });
  it('marks whole days and parts of days, the whole ones first', () => {
    const months = monthsOf(stored, 2026);
    const mark = (date: string) => months.flatMap(({ days }) => days).find((day) => day.date === date)?.mark;
    expect([mark('2026-12-23'), mark('2026-12-24'), mark('2026-12-26'), mark('2026-01-01')]).toEqual([undefined, 'whole', 'whole', 'whole']);
    expect([mark('2026-11-23'), mark('2026-11-28'), mark('2026-11-24')]).toEqual(['part', 'whole', undefined]);
    expect(countOf(months, 'part')).toBe(52);
    expect(months[1]?.days).toHaveLength(28);
    expect(months[10]?.before).toBe(6); // 1 November 2026 is a Sunday
  });
  it('marks nothing for a day that is written wrong', () => {
    expect([isSpan('2026-12-24'), isSpan('2026-12-24/2026-12-26'), isSpan('11/26/2026'), isSpan('2026-12-26/2026-12-24')]).toEqual([true, true, false, false]);
    expect(['12-25', '02-last', '11-thu-4', '*-01'].every(isYearly)).toBe(true);
    expect(['1/1', '12-25-1', 'thu-4', '11-thu-6'].some(isYearly)).toBe(false);
    expect(countOf(monthsOf({ dates: ['11/26/2026'] }, 2026), 'whole')).toBe(0);
  });
  it('marks the days that a rule names in each year or month', () => {
    const marked = (yearly: string[], year: number) =>
      monthsOf({ yearly }, year).flatMap(({ days }) => days.flatMap(({ date, mark }) => (mark ? [date.slice(5)] : [])));
    expect(marked(['05-mon-last', '11-thu-4', '09-mon-1', '02-last', '12-25'], 2026)).toEqual(['02-28', '05-25', '09-07', '11-26', '12-25']);
    expect(marked(['05-mon-last', '02-tue-5'], 2028)).toEqual(['02-29', '05-29']);
    expect(marked(['*-01', '*-last', '*-fri-1'], 2026)).toHaveLength(12 * 3 - 1); // 1 May is a Friday
    expect(marked(['*-31'], 2026)).toHaveLength(7);
  });
});

describe('a version of a calendar', () => {
  it('is compared without what only the server writes', () => {
    const stored = { id: '1', version: 2, project: 'p', name: 'n', description: 'd', zone: 'UTC', dates: ['2026-12-24'], yearly: [], weekly: [], created_at: '', updated_at: '' };
    expect(contentOf(stored)).toEqual({ description: 'd', zone: 'UTC', dates: ['2026-12-24'], yearly: [], weekly: [] });
  });
});

describe('a click on a day', () => {
  it('adds it to the dates, in their order', () => {
    expect(toggled(['2026-12-31', 'wrong'], '2026-12-24')).toEqual(['2026-12-24', '2026-12-31', 'wrong']);
    expect(hasDate(['2026-12-24/2026-12-26'], '2026-12-26')).toBe(true);
  });
  it('takes it out of the dates, also of a span', () => {
    expect(toggled(['2026-12-24', '2027-01-01'], '2026-12-24')).toEqual(['2027-01-01']);
    expect(toggled(['2026-12-24/2027-01-02'], '2026-12-31')).toEqual(['2026-12-24/2026-12-30', '2027-01-01/2027-01-02']);
    expect(toggled(['2026-12-24/2026-12-26'], '2026-12-24')).toEqual(['2026-12-25/2026-12-26']);
    expect(toggled(['2026-12-24/2026-12-25'], '2026-12-25')).toEqual(['2026-12-24']);
  });
  it('has keys that lead to it within the year', () => {
    expect(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'x'].map((key) => dayAt('2026-03-08', key))).toEqual([
      '2026-03-07', '2026-03-09', '2026-03-01', '2026-03-15', '2026-03-01', '2026-03-31', undefined,
    ]);
    expect(dayAt('2026-12-31', 'ArrowRight')).toBeUndefined();
  });
});

describe('what is under way during a pause', () => {
  it('runs at clients, or waits', () => {
    const of = (...states: string[]) => states.map((state) => ({ state })) as Parameters<typeof openOf>[0];
    expect(openOf(of('running', 'stopping', 'planned', 'waiting', 'retrying'), false)).toEqual({ running: 2, waiting: 3, more: false });
    expect(openOf([], true)).toEqual({ running: 0, waiting: 0, more: true });
  });
});
