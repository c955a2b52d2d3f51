export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

export const businessDays: Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri'];
export const weekend: Weekday[] = ['sat', 'sun'];

/** From Monday on, each once. */
export function inOrder(days: readonly string[]): Weekday[] {
  return weekdays.filter((day) => days.includes(day));
}

export function same(one: readonly string[], other: readonly string[]): boolean {
  return inOrder(one).join() === inOrder(other).join();
}
