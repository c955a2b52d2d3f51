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
  await inDialog(en.shared.save).click();
  await tab.page.getByRole('alert').getByText('this is no iCalendar file, which begins with BEGIN:VCALENDAR').waitFor();
  expect(tab.complaints.splice(0).join()).toContain('422');
  await choose(file(event('20261224', 'Christmas Eve'), event('20270405', 'Easter', 'RRULE:FREQ=YEARLY;COUNT=2\r\n')));
  await inDialog(en.shared.save).click();
  await tab.page.waitForURL(/\/calendars\/\d+/);
  for (const day of ['2026-12-24', '2027-04-05', '2028-04-05']) await tab.page.getByText(new RegExp(day)).first().waitFor();
  expect((await on.server.get<{ items: { name: string; dates: string[] }[] }>('/api/v1/calendars')).items.find(({ name }) => name === 'works-holidays')?.dates)
    .toEqual(['2026-12-24', '2027-04-05', '2028-04-05']);
});
