import type { Feature } from './feature';

// Each folder of features/ that has an index.ts is a feature. It is known here without being named.
const found = import.meta.glob<{ default: Feature }>('../features/*/index.ts', { eager: true });

export const features: Feature[] = Object.values(found)
  .map(({ default: feature }) => feature)
  .sort((a, b) => (a.navigation?.order ?? 99) - (b.navigation?.order ?? 99));

export const places = features.flatMap(({ name, navigation }) => (navigation ? [{ name, ...navigation }] : []));
