import type en from './en';

export type Texts<T> = { [K in keyof T]: T[K] extends string ? string : Texts<T[K]> };

/** What each language must have: the same keys as English. */
export type Catalogue = Texts<typeof en>;
