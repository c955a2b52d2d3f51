import { useSearchParams } from 'wouter';

/** Filters that live in the address, so that a view can be kept and sent to others. */
export function useFilters<Name extends string>(names: readonly Name[]) {
  const [search, setSearch] = useSearchParams();
  const values = Object.fromEntries(names.map((name) => [name, search.get(name) ?? ''])) as Record<Name, string>;

  function change(changes: Partial<Record<Name, string>>) {
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes)) {
          if (value) after.set(name, String(value));
          else after.delete(name);
        }
        return after;
      },
      { replace: true },
    );
  }

  return {
    values,
    change,
    clear: () => change(Object.fromEntries(names.map((name) => [name, ''])) as Record<Name, string>),
    used: names.filter((name) => values[name] !== '').length,
    key: JSON.stringify(values),
  };
}
