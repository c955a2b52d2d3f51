import type { Page } from '@/api/pages';
import type { DeadLetter, Execution } from '@/api/types';

type Letter = Pick<DeadLetter, 'execution' | 'died_at' | 'resolved_at'>;

const mostPages = 5;

/** When an execution was dismissed, from the dismissed dead letters of its task, the latest first; null if it is not among them. */
export async function dismissedAt({ id, ended_at: ended }: Pick<Execution, 'id' | 'ended_at'>, read: (after: string | undefined) => Promise<Page<Letter>>): Promise<string | null> {
  let after: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const { items, next } = await read(after);
    const found = items.find(({ execution }) => execution === id);
    if (found) return found.resolved_at;
    const last = items.at(-1);
    if (next === null || (last && ended !== null && Date.parse(last.died_at) < Date.parse(ended))) return null;
    after = next;
  }
  return null;
}
