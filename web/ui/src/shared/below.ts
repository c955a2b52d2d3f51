import type { FocusEvent } from 'react';

/** A list of choices stays below its field: above it, it would lie over the label. */
export const below = { position: 'bottom' as const, middlewares: { flip: false } };

const listHeight = 280;

/** Whether a field has to move up, so that its list has room below it. */
export function isLow(bottom: number, windowHeight: number): boolean {
  return windowHeight - bottom < listHeight;
}

export function makeRoom({ currentTarget }: FocusEvent<HTMLElement>): void {
  if (isLow(currentTarget.getBoundingClientRect().bottom, window.innerHeight)) currentTarget.scrollIntoView({ block: 'center' });
}
