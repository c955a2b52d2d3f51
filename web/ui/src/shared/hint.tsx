import { lazy, Suspense, useEffect, useId, useState, type FocusEvent, type MouseEvent, type ReactNode } from 'react';

const Bubble = lazy(() => import('./HintBubble'));

interface Hints {
  /** For the element that the hint is about. */
  props: {
    'aria-describedby': string | undefined;
    onMouseEnter: (event: MouseEvent<HTMLElement>) => void;
    onMouseLeave: () => void;
    onFocus: (event: FocusEvent<HTMLElement>) => void;
    onBlur: () => void;
  };
  /** Stands beside it. */
  bubble: ReactNode;
}

/**
 * A hint on hover and focus, which Escape closes. A tooltip of Mantine costs as much as ten texts when it is made, though few are
 * ever seen; this one is made, and its text written, when it is shown.
 */
export function useHint(text: () => string): Hints {
  const id = useId();
  const [at, show] = useState<HTMLElement | null>(null);
  useEffect(() => {
    if (!at) return;
    const key = (event: KeyboardEvent) => { if (event.key === 'Escape') show(null); };
    document.addEventListener('keydown', key);
    return () => document.removeEventListener('keydown', key);
  }, [at]);
  return {
    props: {
      'aria-describedby': at ? id : undefined,
      onMouseEnter: ({ currentTarget }) => show(currentTarget),
      onMouseLeave: () => show(null),
      onFocus: ({ currentTarget }) => { if (currentTarget.matches(':focus-visible')) show(currentTarget); },
      onBlur: () => show(null),
    },
    bubble: at && <Suspense fallback={null}><Bubble at={at}><span id={id}>{text()}</span></Bubble></Suspense>,
  };
}
