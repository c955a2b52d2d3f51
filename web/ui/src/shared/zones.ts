/** The names of zones that this browser knows. The server may know others, so they are only proposals. */
export function zoneNames(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')];
}
