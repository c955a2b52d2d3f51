/** The label that the form has for a member of a definition, and the part of the form that it stands in. */
export const memberLabels = {
  name: ['taskForm:name'], project: ['taskForm:project'], service: ['taskForm:service'], handler: ['taskForm:handler'],
  description: ['taskForm:description'], owner: ['taskForm:owner'], labels: ['taskForm:labels'], enabled: ['taskForm:enabled'],
  payload: ['taskForm:section.payload'], priority: ['taskForm:priority'], context: ['taskForm:context'],
  schedule: ['taskForm:section.schedule'],
  'schedule.kind': ['taskForm:section.schedule', 'taskForm:mode_label'], 'schedule.cron': ['taskForm:section.schedule', 'taskForm:cron.label'],
  'schedule.dialect': ['taskForm:section.schedule', 'taskForm:cron.dialect'], 'schedule.zone': ['taskForm:section.schedule', 'taskForm:zone'],
  'schedule.start_at': ['taskForm:section.schedule', 'taskForm:start_at'], 'schedule.end_at': ['taskForm:section.schedule', 'taskForm:end_at'],
  'schedule.max_firings': ['taskForm:section.schedule', 'taskForm:max_firings'], 'schedule.jitter_ms': ['taskForm:section.schedule', 'taskForm:jitter'],
  'schedule.calendars': ['taskForm:section.schedule', 'taskForm:calendars.label'], 'schedule.gap': ['taskForm:section.schedule', 'taskForm:gap.label'],
  'schedule.overlap': ['taskForm:section.schedule', 'taskForm:overlap.label'], 'schedule.every_ms': ['taskForm:section.schedule', 'taskForm:pause'],
  'schedule.from': ['taskForm:section.schedule', 'taskForm:from'], 'schedule.to': ['taskForm:section.schedule', 'taskForm:to'],
  'schedule.days': ['taskForm:section.schedule', 'taskForm:days'], 'schedule.every': ['taskForm:section.schedule', 'taskForm:every'],
  'schedule.unit': ['taskForm:section.schedule', 'taskForm:period'], 'schedule.time': ['taskForm:section.schedule', 'taskForm:time'],
  'schedule.roll': ['taskForm:section.schedule', 'taskForm:roll.label'], 'schedule.on': ['taskForm:section.schedule', 'taskForm:on.label'],
  'schedule.at': ['taskForm:section.schedule', 'taskForm:once.when'], 'schedule.in_ms': ['taskForm:section.schedule', 'taskForm:once.after'],
  'schedule.task': ['taskForm:section.schedule', 'taskForm:after_label'],
  misfire: ['taskPolicies:title.late'], 'misfire.action': ['taskPolicies:title.late'],
  'misfire.after_ms': ['taskPolicies:title.late', 'taskPolicies:field.after'], 'misfire.limit': ['taskPolicies:title.late', 'taskPolicies:field.most'],
  'misfire.within_ms': ['taskPolicies:title.late', 'taskPolicies:field.within'],
  concurrency: ['taskPolicies:title.parallel'], 'concurrency.limit': ['taskPolicies:title.parallel', 'taskPolicies:field.limit'],
  'concurrency.when_full': ['taskPolicies:title.parallel', 'taskPolicies:field.when_full'],
  'concurrency.queue': ['taskPolicies:title.parallel', 'taskPolicies:field.queue'], 'concurrency.key': ['taskPolicies:title.parallel', 'taskPolicies:field.key'],
  rate: ['taskPolicies:title.rate'], 'rate.limit': ['taskPolicies:title.rate', 'taskPolicies:field.rate'],
  'rate.per_ms': ['taskPolicies:title.rate', 'taskPolicies:field.per'], 'rate.burst': ['taskPolicies:title.rate', 'taskPolicies:field.burst'],
  max_attempts: ['taskPolicies:title.retries', 'taskPolicies:field.attempts'], retry_delay_ms: ['taskPolicies:title.retries', 'taskPolicies:field.pause'],
  retry: ['taskPolicies:title.retries'], 'retry.backoff': ['taskPolicies:title.retries', 'taskPolicies:field.backoff'],
  'retry.longest_ms': ['taskPolicies:title.retries', 'taskPolicies:field.longest'], 'retry.jitter_percent': ['taskPolicies:title.retries', 'taskPolicies:field.jitter'],
  'retry.on': ['taskPolicies:title.retries', 'taskPolicies:field.on'], 'retry.final_errors': ['taskPolicies:title.retries', 'taskPolicies:field.final_errors'],
  max_deaths: ['taskPolicies:title.retries', 'taskPolicies:field.deaths'],
  timeout_ms: ['taskPolicies:title.times', 'taskPolicies:field.timeout'], stop_grace_ms: ['taskPolicies:title.times', 'taskPolicies:field.grace'],
  limits: ['taskPolicies:title.times'], 'limits.start_within_ms': ['taskPolicies:title.times', 'taskPolicies:field.start_within'],
  'limits.late_start': ['taskPolicies:title.times', 'taskPolicies:field.late_start'], 'limits.total_ms': ['taskPolicies:title.times', 'taskPolicies:field.total'],
  routing: ['taskPolicies:title.client'], route: ['taskPolicies:title.client'], 'route.tag': ['taskPolicies:title.client', 'taskPolicies:field.tag'],
  'route.key': ['taskPolicies:title.client', 'taskPolicies:field.route_key'], 'route.instance': ['taskPolicies:title.client', 'taskPolicies:field.instance'],
  'route.shards': ['taskPolicies:title.client', 'taskPolicies:field.shards'], 'route.ends': ['taskPolicies:title.client', 'taskPolicies:field.ends'],
} as const;

export type Known = keyof typeof memberLabels;

/** The nearest member around this one that has a label, and what of the name is left: `payload.customer` is the payload's `customer`. */
export function labelledPart(field: string): { known: Known | undefined; rest: string } {
  const levels = field.split('.');
  for (let count = levels.length; count > 0; count -= 1) {
    const at = levels.slice(0, count).join('.');
    if (at in memberLabels) return { known: at as Known, rest: levels.slice(count).join('.') };
  }
  return { known: undefined, rest: field };
}
