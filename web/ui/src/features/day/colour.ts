import type { CSSProperties } from 'react';
import type { State } from '@/api/types';
import { stateColour } from '@/shared/StateBadge';

// Without words beside them, states of one colour would look the same.
const own: Partial<Record<State, [string, string]>> = {
  planned: ['gray-6', 'gray-5'],
  timed_out: ['grape-8', 'grape-4'],
  skipped: ['gray-6', 'gray-6'],
  cancelled: ['yellow-8', 'yellow-4'],
};

/** The colour of a bar, dark or light enough to stand out from the page. */
export function barStyle(state: State): CSSProperties {
  const colour = stateColour(state);
  const [light, dark] = own[state] ?? [`${colour}-9`, `${colour}-5`];
  return { '--bar': `light-dark(var(--mantine-color-${light}), var(--mantine-color-${dark}))` } as CSSProperties;
}
