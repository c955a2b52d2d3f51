import { createContext, useContext } from 'react';
import { ProblemError } from '@/api/problem';

/** What is wrong, by the name of the member as the server names it: "schedule.cron". */
export type Faults = Partial<Record<string, string>>;

const Context = createContext<Faults>({});
export const FaultsProvider = Context.Provider;

/** The text for a field that stands for these members, or for what is inside them. */
export function faultAt(faults: Faults, names: readonly string[]): string | undefined {
  for (const [at, text] of Object.entries(faults)) {
    if (names.some((name) => at === name || at.startsWith(`${name}.`) || at.startsWith(`${name}[`))) return text;
  }
  return undefined;
}

export function useFault(...names: string[]): string | undefined {
  return faultAt(useContext(Context), names);
}

export function useFaults(): Faults {
  return useContext(Context);
}

/** A refusal that names a member, as a fault of its field; `words` says it in the language of the page. */
export function faultOf(error: unknown, words: (text: string) => string): Faults {
  return error instanceof ProblemError && error.field ? { [error.field]: words(error.message) } : {};
}
