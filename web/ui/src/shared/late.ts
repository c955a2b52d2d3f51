import { useEffect, useState } from 'react';

/** True once `so` has been true for `ms`, so that short states do not make the page flicker. */
export function useLate(so: boolean, ms = 300): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!so) return;
    const timer = setTimeout(() => setLate(true), ms);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [so, ms]);
  return late && so;
}
