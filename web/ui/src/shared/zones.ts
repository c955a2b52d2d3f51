import type { OptionsFilter } from '@mantine/core';

/** The names of zones that this browser knows. The server may know others, so they are only proposals. */
export function zoneNames(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')];
}

const plain = (text: string) => text.toLowerCase().replaceAll('_', ' ').trim();

/** Whether a zone matches what a person typed: "new york" finds America/New_York. */
export function isZoneLike(zone: string, text: string): boolean {
  return plain(zone).includes(plain(text));
}

/** The filter of a field that proposes zones. */
export const zonesLike: OptionsFilter = ({ options, search, limit }) =>
  options.filter((option) => 'value' in option && isZoneLike(option.value, search)).slice(0, limit);
