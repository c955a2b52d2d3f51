export interface BulkResult {
  done: number;
  refused: { name: string; reason: string }[];
}

/** The same for several things, one after the other. A refusal of one does not stop the others. */
export async function oneByOne<Item>(items: Item[], nameOf: (item: Item) => string, act: (item: Item) => Promise<unknown>): Promise<BulkResult> {
  const result: BulkResult = { done: 0, refused: [] };
  for (const item of items) {
    try {
      await act(item);
      result.done += 1;
    } catch (reason) {
      result.refused.push({ name: nameOf(item), reason: reason instanceof Error ? reason.message : String(reason) });
    }
  }
  return result;
}
