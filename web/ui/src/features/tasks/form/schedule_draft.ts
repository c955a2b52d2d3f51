import type { Schedule } from '@/api/types';
import { instantOf, localOf } from './instants';
import { readSimpleCron, writeSimpleCron } from './simple_cron';
import { inOrder, same, weekdays, type Weekday } from './weekdays';

export const modes = ['days', 'months', 'every_days', 'window', 'interval', 'once', 'after', 'cron', 'api'] as const;
export type Mode = (typeof modes)[number];
export type Roll = 'none' | 'next_business_day' | 'previous_business_day';
export type CalendarUse = { name: string; mode: 'exclude' | 'allow' };

/** All that the builder has fields for. What a mode does not use stays, so that switching back finds it again. */
export interface ScheduleDraft {
  mode: Mode;
  zone: string;
  /** Who chose the zone: a person, the service or the project. A default is not sent, so that it stays one. */
  zoneBy: 'person' | 'default' | 'viewer';
  time: string;
  days: Weekday[];
  every: number;
  dayUnit: 'days' | 'weeks';
  everyMonths: number;
  monthUnit: 'months' | 'years';
  /** '': the day on which the counting begins. */
  on: string;
  roll: Roll;
  from: string;
  to: string;
  windowMs: number;
  intervalMs: number;
  counted: 'start' | 'end';
  once: 'at' | 'in';
  at: string;
  inMs: number;
  after: string;
  cron: string;
  dialect: 'crontab' | 'quartz';
  /** '': as the dialect has it. */
  gap: '' | 'skip' | 'next_valid' | 'shift';
  overlap: '' | 'first' | 'second' | 'both';
  hashSeed: number | undefined;
  startAt: string;
  endAt: string;
  /** 0: no maximum. */
  maxFirings: number;
  jitterMs: number;
  jitterSeed: number | undefined;
  calendars: CalendarUse[];
  /** The instants of the task that is edited: what a field did not change is sent back to the microsecond. */
  known: { at?: string; startAt?: string; endAt?: string };
}

export function emptySchedule(zone: string): ScheduleDraft {
  return {
    mode: 'days', zone, zoneBy: 'viewer', time: '09:00', days: [...weekdays], every: 2, dayUnit: 'weeks', everyMonths: 1, monthUnit: 'months', on: '1', roll: 'none',
    from: '09:00', to: '17:00', windowMs: 900000, intervalMs: 300000, counted: 'start', once: 'at', at: '', inMs: 3600000, after: '',
    cron: '0 9 * * 1-5', dialect: 'crontab', gap: '', overlap: '', hashSeed: undefined, startAt: '', endAt: '', maxFirings: 0,
    jitterMs: 0, jitterSeed: undefined, calendars: [], known: {},
  };
}

export const hasClock = (mode: Mode) => mode === 'days' || mode === 'months' || mode === 'every_days' || mode === 'window' || mode === 'cron';
/** Fires again and again by the clock: has a first and last instant, a maximum, a jitter and calendars. */
export const repeats = (mode: Mode) => hasClock(mode) || mode === 'interval';
const isCron = (mode: Mode) => mode === 'days' || mode === 'cron';

const hasInstants = ({ at, startAt, endAt }: ScheduleDraft) => at !== '' || startAt !== '' || endAt !== '';

/** The draft with the zone that is offered until a person chooses one: the default of the service or project, else the viewer's. */
export function offered(draft: ScheduleDraft, byDefault: string | undefined, viewer: string): ScheduleDraft {
  if (draft.zoneBy === 'person') return draft;
  // Another zone would make other instants of those that are entered.
  if (hasInstants(draft)) return draft.zoneBy === 'default' && draft.zone !== byDefault ? { ...draft, zoneBy: 'person' } : draft;
  return byDefault ? { ...draft, zone: byDefault, zoneBy: 'default' } : { ...draft, zone: viewer, zoneBy: 'viewer' };
}

const zoned = ({ zone, zoneBy }: ScheduleDraft) => (zoneBy === 'default' ? {} : { zone });

function instant(local: string, known: string | undefined, zone: string): string | undefined {
  if (known && localOf(known, zone) === local) return known;
  return instantOf(local, zone);
}

function bounds(draft: ScheduleDraft) {
  const startAt = draft.startAt ? instant(draft.startAt, draft.known.startAt, draft.zone) : undefined;
  const endAt = draft.endAt ? instant(draft.endAt, draft.known.endAt, draft.zone) : undefined;
  return {
    ...(startAt ? { start_at: startAt } : {}),
    ...(endAt ? { end_at: endAt } : {}),
    ...(draft.maxFirings > 0 ? { max_firings: draft.maxFirings } : {}),
    ...(draft.jitterMs > 0 ? { jitter_ms: draft.jitterMs, ...(draft.jitterSeed === undefined ? {} : { jitter_seed: draft.jitterSeed }) } : {}),
    ...(draft.calendars.length > 0 ? { calendars: draft.calendars } : {}),
  };
}

/** The expression of a mode that has one. Keeps the text of one that already means the same. */
export function cronOf(draft: ScheduleDraft): string {
  if (draft.mode !== 'days') return draft.cron;
  const present = draft.dialect === 'crontab' ? readSimpleCron(draft.cron) : undefined;
  const kept = present && present.time === draft.time && same(present.days, draft.days.length > 0 ? draft.days : weekdays);
  return kept ? draft.cron : writeSimpleCron(draft);
}

const clockRules = ({ gap, overlap }: ScheduleDraft) => ({ ...(gap ? { gap } : {}), ...(overlap ? { overlap } : {}) });

function cronSchedule(draft: ScheduleDraft) {
  const dialect = draft.mode === 'cron' ? draft.dialect : 'crontab';
  const cron = cronOf(draft);
  return {
    kind: 'cron', cron, dialect, ...zoned(draft), ...clockRules(draft),
    ...(draft.hashSeed !== undefined && cron.includes('H') ? { hash_seed: draft.hashSeed } : {}),
  };
}

const dayOfMonth = (on: string) => (/^\d+$/.test(on) ? Number(on) : on);

function repeated(draft: ScheduleDraft) {
  const zone = { ...zoned(draft), ...clockRules(draft) };
  if (isCron(draft.mode)) return cronSchedule(draft);
  if (draft.mode === 'interval') return { kind: draft.counted === 'start' ? 'fixed_rate' : 'fixed_delay', every_ms: draft.intervalMs };
  if (draft.mode === 'window') {
    const days = draft.days.length > 0 && draft.days.length < 7 ? { days: inOrder(draft.days) } : {};
    return { kind: 'window', every_ms: draft.windowMs, from: draft.from, to: draft.to, ...zone, ...days };
  }
  if (draft.mode === 'every_days') {
    const days = draft.dayUnit === 'weeks' && draft.days.length > 0 ? { days: inOrder(draft.days) } : {};
    return { kind: 'calendar', every: draft.every, unit: draft.dayUnit, time: draft.time, ...zone, ...days };
  }
  const on = draft.on ? { on: dayOfMonth(draft.on) } : {};
  const roll = draft.roll === 'none' ? {} : { roll: draft.roll };
  return { kind: 'calendar', every: draft.everyMonths, unit: draft.monthUnit, time: draft.time, ...zone, ...on, ...roll };
}

/** The schedule as the server takes it, with the members of its own kind and no other. */
export function scheduleOf(draft: ScheduleDraft): Schedule {
  if (draft.mode === 'api') return { kind: 'api' };
  if (draft.mode === 'after') return { kind: 'after', task: draft.after.trim() };
  if (draft.mode === 'once' && draft.once === 'in') return { kind: 'once', in_ms: draft.inMs };
  if (draft.mode === 'once') return { kind: 'once', at: instant(draft.at, draft.known.at, draft.zone) ?? '' };
  return { ...repeated(draft), ...bounds(draft) } as Schedule;
}

/** Can the server be asked about it? What is not chosen yet is no fault. */
export function isComplete({ mode, once, at, after, days }: ScheduleDraft): boolean {
  if (mode === 'once') return once === 'in' || at !== '';
  if (mode === 'after') return after.trim() !== '';
  return mode !== 'days' || days.length > 0;
}

/** Do its times follow from the name of the task? Those of hashed values and of a jitter do. */
export function needsName(draft: ScheduleDraft): boolean {
  return (draft.mode === 'cron' && draft.cron.includes('H')) || (repeats(draft.mode) && draft.jitterMs > 0);
}

/** What the kinds have in common, and what is absent in some of them. */
interface Members {
  kind: string; zone?: string; cron?: string; dialect?: 'crontab' | 'quartz'; gap?: ScheduleDraft['gap']; overlap?: ScheduleDraft['overlap'];
  hash_seed?: number; start_at?: string; end_at?: string; max_firings?: number; jitter_ms?: number; jitter_seed?: number;
  calendars?: { name: string; mode?: 'exclude' | 'allow' }[]; every_ms?: number; from?: string; to?: string; days?: Weekday[];
  every?: number; unit?: string; time?: string; on?: string | number; roll?: Roll; at?: string; in_ms?: number; task?: string;
}

function common(schedule: Members, zone: string): Partial<ScheduleDraft> {
  const known = {
    ...(schedule.at ? { at: schedule.at } : {}),
    ...(schedule.start_at ? { startAt: schedule.start_at } : {}),
    ...(schedule.end_at ? { endAt: schedule.end_at } : {}),
  };
  return {
    zone, gap: schedule.gap ?? '', overlap: schedule.overlap ?? '', startAt: localOf(schedule.start_at, zone), endAt: localOf(schedule.end_at, zone), maxFirings: schedule.max_firings ?? 0,
    jitterMs: schedule.jitter_ms ?? 0, jitterSeed: schedule.jitter_seed, known,
    calendars: (schedule.calendars ?? []).map(({ name, mode }) => ({ name, mode: mode ?? 'exclude' })),
  };
}

function cronDraft(schedule: Members): Partial<ScheduleDraft> {
  const { cron = '', dialect = 'crontab' } = schedule;
  const simple = dialect === 'crontab' ? readSimpleCron(cron) : undefined;
  return { mode: simple ? 'days' : 'cron', cron, dialect, hashSeed: schedule.hash_seed, ...(simple ?? {}) };
}

function calendarDraft({ every = 1, unit, time = '09:00', days, on, roll = 'none' }: Members): Partial<ScheduleDraft> {
  if (unit === 'days') return { mode: 'every_days', every, dayUnit: 'days', time };
  if (unit === 'weeks') return { mode: 'every_days', every, dayUnit: 'weeks', time, days: days ?? [] };
  return { mode: 'months', everyMonths: every, monthUnit: unit === 'years' ? 'years' : 'months', time, on: on === undefined ? '' : String(on), roll };
}

function own(schedule: Members, zone: string): Partial<ScheduleDraft> {
  const ms = schedule.every_ms ?? 0;
  switch (schedule.kind) {
    case 'cron': return cronDraft(schedule);
    case 'calendar': return calendarDraft(schedule);
    case 'fixed_rate': return { mode: 'interval', counted: 'start', intervalMs: ms };
    case 'fixed_delay': return { mode: 'interval', counted: 'end', intervalMs: ms };
    case 'window': return { mode: 'window', windowMs: ms, from: schedule.from ?? '', to: schedule.to ?? '', days: schedule.days ?? [...weekdays] };
    case 'once': return schedule.in_ms === undefined ? { mode: 'once', once: 'at', at: localOf(schedule.at, zone) } : { mode: 'once', once: 'in', inMs: schedule.in_ms };
    case 'after': return { mode: 'after', after: schedule.task ?? '' };
    default: return { mode: 'api' };
  }
}

/** The fields for a schedule that the server gave. `viewer`: the zone for kinds that have none of their own. */
export function scheduleDraftOf(schedule: Schedule, viewer: string): ScheduleDraft {
  const members = schedule as Members;
  const clock = members.kind === 'cron' || members.kind === 'window' || members.kind === 'calendar';
  const zone = members.zone ?? (clock ? 'UTC' : viewer);
  const draft: ScheduleDraft = { ...emptySchedule(zone), ...common(members, zone), ...own(members, zone) };
  return clock ? { ...draft, zoneBy: 'person' } : draft;
}

/** The draft in another mode, with what both of them have. */
export function switched(draft: ScheduleDraft, mode: Mode): ScheduleDraft {
  if (mode === draft.mode) return draft;
  if (mode === 'cron') return { ...draft, mode, cron: draft.mode === 'days' ? cronOf(draft) : draft.cron, dialect: draft.mode === 'days' ? 'crontab' : draft.dialect };
  const simple = mode === 'days' && draft.mode === 'cron' && draft.dialect === 'crontab' ? readSimpleCron(draft.cron) : undefined;
  return { ...draft, mode, ...(simple ?? {}) };
}
