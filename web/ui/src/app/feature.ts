import type { ComponentType } from 'react';
import type { Icon } from '@/shared/icons';
import type { Catalogue } from '@/i18n/catalogue';

/** What a feature registers: its routes, and its place in the navigation. */
export interface Feature {
  name: keyof Catalogue;
  /** Where `navigation` leads; the label is the key `title` of the feature's catalogue. */
  navigation?: { path: string; icon: Icon; order: number };
  routes: {
    path: string;
    page: ComponentType;
    /** Begins to load the page and what it shows, while the rest of the program starts. It ends when the page is loaded. */
    begin?: () => Promise<void>;
  }[];
}
