// A form takes instants as a wall clock shows them: "2026-12-24T18:00". The server takes RFC 3339.

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
  });
  formatters.set(zone, made);
  return made;
}

/** Does this browser know the zone? The server may know one that it does not. */
export function knowsZone(zone: string): boolean {
  try {
    formatter(zone);
    return true;
  } catch {
    return false;
  }
}

/** What the clock of the zone shows at an instant, with seconds: "2026-12-24T18:00:00". Of an unknown zone: in UTC. */
export function wallClock(at: number, zone: string): string {
  const parts = formatter(knowsZone(zone) ? zone : 'UTC').formatToParts(new Date(at));
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '00';
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}`;
}

/** The same without seconds that are zero, as an input of a day and time has it. */
export function localOf(instant: string | undefined, zone: string): string {
  if (!instant) return '';
  const at = Date.parse(instant);
  return Number.isNaN(at) ? '' : wallClock(at, zone).replace(/:00$/, '');
}

/** The instant at which the clock of the zone shows the text. A time that the clock skips is taken as after the gap. */
export function instantOf(local: string, zone: string): string | undefined {
  const wanted = Date.parse(`${local}${local.length === 16 ? ':00' : ''}Z`);
  if (Number.isNaN(wanted)) return undefined;
  let at = wanted;
  // The offset at the guess, then the one at the corrected guess.
  for (let round = 0; round < 2; round += 1) at += wanted - Date.parse(`${wallClock(at, zone)}Z`);
  return new Date(at).toISOString().replace('.000Z', 'Z');
}
