import { type ComponentType, lazy } from 'react';

/** A page that is loaded when it is shown, or before: one that is loaded is shown at once, without a place holder. */
export function firstPage(load: () => Promise<{ default: ComponentType }>) {
  let Loaded: ComponentType | undefined;
  const Late = lazy(load);
  function Page() {
    return Loaded ? <Loaded /> : <Late />;
  }
  async function begin() {
    Loaded = (await load()).default;
  }
  return { Page, begin };
}
