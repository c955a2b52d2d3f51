import { useState } from 'react';

/** How many next firings a list shows, before and after a person asks for more. */
const few = 10;
const many = 60;

/** The number of firings to ask for. `more`: shows further ones; absent once it has. */
export function useFiringCount(): { count: number; isFull: (shown: number) => boolean; more: (() => void) | undefined } {
  const [count, setCount] = useState(few);
  return { count, isFull: (shown) => shown >= count, more: count === few ? () => setCount(many) : undefined };
}
