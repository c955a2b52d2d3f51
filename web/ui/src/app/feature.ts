import type { ComponentType, LazyExoticComponent } from 'react';
import type { Icon } from '@/shared/icons';
import type { Catalogue } from '@/i18n/catalogue';

/** What a feature registers: its routes, and its place in the navigation. */
export interface Feature {
  name: keyof Catalogue;
  /** Where `navigation` leads; the label is the key `title` of the feature's catalogue. */
  navigation?: { path: string; icon: Icon; order: number };
  routes: { path: string; page: LazyExoticComponent<ComponentType> }[];
}
