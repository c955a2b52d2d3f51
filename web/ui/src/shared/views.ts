import { stored, useStored } from './stored';

/** A list with its filters, kept under a name: what stands behind the `?` of its address. */
export interface View {
  name: string;
  search: string;
}

function areViews(value: unknown): value is View[] {
  return Array.isArray(value) && value.every((one: unknown) => {
    const { name, search } = (one ?? {}) as Partial<View>;
    return typeof name === 'string' && typeof search === 'string';
  });
}

/** With the new view; one of the same name is replaced. In order of name. */
export function withView(views: View[], added: View): View[] {
  return [...views.filter(({ name }) => name !== added.name), added].sort((a, b) => a.name.localeCompare(b.name));
}

/** Whether two addresses have the same filters, in whatever order. */
export function sameSearch(a: string, b: string): boolean {
  const sorted = (text: string) => [...new URLSearchParams(text)].map((pair) => pair.join('=')).sort().join('&');
  return sorted(a) === sorted(b);
}

export function useViews(list: string): [View[], (views: View[]) => void] {
  return useStored(stored<View[]>(`baton.views.${list}`, areViews, []));
}
