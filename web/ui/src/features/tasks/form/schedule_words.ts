import type { ScheduleDraft } from './schedule_draft';

/** The sentence for a schedule, as a key of the catalogue and its values. */
export function scheduleWords(draft: ScheduleDraft, say: (ms: number) => string) {
  const { time, from, to, zone } = draft;
  switch (draft.mode) {
    case 'interval': return { key: draft.counted === 'start' ? 'fixed_rate' : 'fixed_delay', values: { pause: say(draft.intervalMs) } } as const;
    case 'window': return { key: 'window', values: { pause: say(draft.windowMs), from, to, zone } } as const;
    case 'months': return { key: draft.everyMonths === 1 ? (`each_${draft.monthUnit}` as const) : draft.monthUnit, values: { count: draft.everyMonths, time, zone } } as const;
    case 'every_days': return { key: draft.every === 1 ? (`each_${draft.dayUnit}` as const) : draft.dayUnit, values: { count: draft.every, time, zone } } as const;
    case 'once': return draft.once === 'in' ? ({ key: 'in', values: { pause: say(draft.inMs) } } as const) : ({ key: draft.at ? 'at' : 'no_time', values: { at: draft.at.replace('T', ' '), zone } } as const);
    case 'after': return { key: draft.after ? 'after' : 'no_parent', values: { task: draft.after } } as const;
    case 'api': return { key: 'api', values: {} } as const;
    case 'days': return { key: 'days_at', values: { time, zone } } as const;
    case 'cron': return { key: 'cron', values: { cron: draft.cron, zone } } as const;
  }
}
