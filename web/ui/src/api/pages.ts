export interface Page<Item> {
  items: Item[];
  next: string | null;
}

export interface Pages<Item> {
  items: Item[];
  /** The list has items beyond these. */
  more: boolean;
}

/** A page of the items that are wanted, from at most `mostPages` pages of the list: about `most` of them. `next` continues after it. */
export async function readWanted<Item>(
  read: (after: string | undefined) => Promise<Page<Item>>, wanted: (item: Item) => boolean, from: string | undefined, most: number, mostPages = 10,
): Promise<Page<Item>> {
  const items: Item[] = [];
  let next: string | null = from ?? null;
  for (let page = 0; page < mostPages && items.length < most; page += 1) {
    const answer: Page<Item> = await read(next ?? undefined);
    items.push(...answer.items.filter(wanted));
    next = answer.next;
    if (next === null) break;
  }
  return { items, next };
}

/** The items of several pages, read one after the other: at most `most` of them, from at most `mostPages` pages. */
export async function readPages<Item>(
  read: (after: string | undefined) => Promise<Page<Item>>, most: number, mostPages = 20,
): Promise<Pages<Item>> {
  const items: Item[] = [];
  let after: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const { items: some, next } = await read(after);
    items.push(...some);
    if (items.length > most) return { items: items.slice(0, most), more: true };
    if (next === null) return { items, more: false };
    if (items.length === most) return { items, more: true };
    after = next;
  }
  return { items, more: true };
}
