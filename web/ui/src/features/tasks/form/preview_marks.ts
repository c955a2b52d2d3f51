import type { PreviewedFiring } from '@/api/types';

/** What the clock does to a firing, as a key of the catalogue. The effect on the firing itself goes before a change since the one before. */
export function markOf({ clock, clock_changed }: Pick<PreviewedFiring, 'clock' | 'clock_changed'>) {
  return clock ?? (clock_changed ? ('clock' as const) : undefined);
}
