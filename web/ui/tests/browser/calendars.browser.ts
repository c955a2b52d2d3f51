import { expect, it } from 'vitest';
import en from '@/i18n/en';
import { visit } from './browser';
import { stage, watchedPage } from './stage';

const on = stage();
const tab = watchedPage(on);
const event = (day: string, name: string, more = '') =>
  `BEGIN:VEVENT\r\nUID:${name}@example.org\r\nDTSTAMP:20260101T000000Z\r\nDTSTART;VALUE=DATE:${day}\r\nSUMMARY:${name}\r\n${more}END:VEVENT\r\n`;
const file = (...events: string[]) => ({
  name: 'holidays.ics', mimeType: 'text/calendar',
  buffer: Buffer.from(`BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Example//EN\r\n${events.join('')}END:VCALENDAR\r\n`),
});
const button = (name: string) => tab.page.getByRole('button', { name, exact: true });
const inDialog = (name: string) => tab.page.getByRole('dialog').getByRole('button', { name, exact: true });
const choose = async (chosen: ReturnType<typeof file>) => {
  const chooser = tab.page.waitForEvent('filechooser');
  await tab.page.getByLabel(en.calendars.file).click();
  await (await chooser).setFiles(chosen);
};

it('makes a calendar of an iCalendar file, and says what is wrong with another', async () => {
  await visit(tab.page, on.server.address, '/calendars');
  await button(en.calendars.create).click();
  await tab.page.getByRole('dialog').getByLabel(en.calendars.name).fill('works-holidays');
  await choose({ ...file(), buffer: Buffer.from('these are no events') });
  await inDialog(en.calendars.create).click();
  await tab.page.getByRole('alert').getByText('this is no iCalendar file, which begins with BEGIN:VCALENDAR').waitFor();
  expect(tab.complaints.splice(0).join()).toContain('422');
  await choose(file(event('20261224', 'Christmas Eve'), event('20270405', 'Easter', 'RRULE:FREQ=YEARLY;COUNT=2\r\n')));
  await inDialog(en.calendars.create).click();
  await tab.page.waitForURL(/\/calendars\/\d+/);
  for (const day of ['2026-12-24', '2027-04-05', '2028-04-05']) await tab.page.getByText(new RegExp(day)).first().waitFor();
  expect((await on.server.get<{ items: { name: string; dates: string[] }[] }>('/api/v1/calendars')).items.find(({ name }) => name === 'works-holidays')?.dates)
    .toEqual(['2026-12-24', '2027-04-05', '2028-04-05']);
});

it('brings an older version of a calendar back, after it has shown what that changes', async () => {
  const path = `/api/v1/calendars/${on.data.calendar}`;
  const read = () => on.server.get<{ version: number; dates: string[]; weekly: object[] }>(path);
  const before = await read();
  await on.server.call('PUT', path, { name: 'bank-holidays', zone: 'America/New_York', dates: ['2030-07-04'] });
  await visit(tab.page, on.server.address, `/calendars/${on.data.calendar}`);
  const version = en.calendars.version.replace('{{version}}', String(before.version));
  await tab.page.getByRole('button', { name: new RegExp(`^${version} `) }).click();
  await button(en.calendars.rollback).click();
  const dialog = tab.page.getByRole('dialog', { name: en.calendars.rollback });
  for (const day of [/2030-07-04/, /2026-12-25/]) await dialog.getByText(day).first().waitFor();
  await inDialog(en.calendars.rollback).click();
  await dialog.waitFor({ state: 'detached' });
  const after = await read();
  expect(after).toMatchObject({ version: before.version + 2, dates: before.dates, weekly: before.weekly });
  await tab.page.getByRole('button', { name: new RegExp(`^${en.calendars.version.replace('{{version}}', String(after.version))} .*${en.calendars.present}`) }).waitFor();
});

it('has the day of the chosen zone as today, and what is rarely needed is folded', async () => {
  await visit(tab.page, on.server.address, '/calendars');
  await button(en.calendars.create).click();
  const dialog = tab.page.getByRole('dialog');
  const today = new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Berlin' }).format(Date.now());
  expect(await dialog.locator('[aria-current=date]').getAttribute('data-date')).toBe(today);
  expect(await dialog.getByLabel(en.calendars.yearly, { exact: true }).isVisible()).toBe(false);
  await dialog.getByRole('button', { name: en.calendars.typed_other.replace('{{count}}', '0') }).click();
  await dialog.getByLabel(en.calendars.yearly, { exact: true }).waitFor();
  const place = await inDialog(en.calendars.create).boundingBox();
  expect((place?.y ?? 10_000) + (place?.height ?? 0)).toBeLessThanOrEqual(tab.page.viewportSize()?.height ?? 0);
});
