import type { Calendar, StoredCalendar } from '@/api/types';
import { daysOf, textOf } from './days';

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

/** Hours of some days of the week. No day is every day. */
export interface Hours {
  days: Weekday[];
  from: string;
  until: string;
}

/** A calendar as the form has it. */
export interface Draft {
  project: string;
  name: string;
  description: string;
  zone: string;
  dates: string;
  yearly: string;
  days: Weekday[];
  hours: Hours[];
}

export function draftOf(calendar: StoredCalendar | undefined, project: string, zone: string): Draft {
  const rules = calendar?.weekly ?? [];
  const days = (rule: (typeof rules)[number]) => (rule.days ?? []) as Weekday[];
  return {
    project: calendar?.project ?? (project || 'default'),
    name: calendar?.name ?? '',
    description: calendar?.description ?? '',
    zone: calendar?.zone ?? zone,
    dates: textOf(calendar?.dates),
    yearly: textOf(calendar?.yearly),
    days: rules.flatMap((rule) => ('from' in rule ? [] : rule.days === undefined ? [...weekdays] : days(rule))),
    hours: rules.flatMap((rule) => ('from' in rule ? [{ days: days(rule), from: rule.from, until: rule.until }] : [])),
  };
}

export function calendarOf({ dates, yearly, days, hours, ...rest }: Draft): Calendar {
  const parts = hours.map((part) => ({ from: part.from, until: part.until, ...(part.days.length > 0 ? { days: part.days } : {}) }));
  return { ...rest, dates: daysOf(dates), yearly: daysOf(yearly), weekly: [...parts, ...(days.length > 0 ? [{ days }] : [])] };
}

/** The content of a version of a calendar, to compare it with another. */
export function contentOf({ description, zone, dates, yearly, weekly }: Pick<Calendar, 'description' | 'zone' | 'dates' | 'yearly' | 'weekly'>) {
  return { description, zone, dates, yearly, weekly };
}
