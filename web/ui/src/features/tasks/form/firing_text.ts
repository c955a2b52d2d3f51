import { withZoneLast } from '@/shared/time';

const formatters = new Map<string, Intl.DateTimeFormat>();

/** An instant with its day of the week, as the clock of the zone shows it: "Mon, 30 Nov 2026, 09:30 EST". */
export function clockText(at: string, zone: string, language: string): string {
  const seconds = new Date(at).getUTCSeconds() > 0;
  const key = `${language} ${zone} ${String(seconds)}`;
  let formatter = formatters.get(key);
  if (!formatter) {
    const options: Intl.DateTimeFormatOptions = {
      weekday: 'short', year: 'numeric', month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', ...(seconds ? { second: '2-digit' } : {}), hourCycle: 'h23', timeZoneName: 'short',
    };
    try {
      formatter = new Intl.DateTimeFormat(language, { ...options, timeZone: zone });
    } catch {
      // A zone that the server knows and this browser does not.
      formatter = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
    }
    formatters.set(key, formatter);
  }
  return withZoneLast(formatter, new Date(at));
}
