import type { CSSProperties } from 'react';
import type { State } from '@/api/types';
import { stateColour } from '@/shared/StateBadge';

/** The colour of a bar, dark or light enough to stand out from the page. */
export function barStyle(state: State): CSSProperties {
  const colour = stateColour(state);
  return { '--bar': `light-dark(var(--mantine-color-${colour}-9), var(--mantine-color-${colour}-5))` } as CSSProperties;
}
