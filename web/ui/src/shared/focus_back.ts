import { useEffect, useRef, useState } from 'react';

/** Gives the focus back to what had it before, once a dialog that lives only while it is open is gone. */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
  const there = useRef(false);
  useEffect(() => {
    there.current = true;
    return () => {
      there.current = false;
      window.setTimeout(() => {
        // Whoever has taken the focus meanwhile, another dialog or a new page, keeps it.
        const free = document.activeElement === null || document.activeElement === document.body;
        if (!there.current && free && before instanceof HTMLElement && before.isConnected) before.focus();
      });
    };
  }, [before]);
}
