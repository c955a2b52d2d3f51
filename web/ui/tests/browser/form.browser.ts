import { expect, it } from 'vitest';
import en from '@/i18n/en';
import { visit } from './browser';
import { until } from './server';
import { stage, watchedPage } from './stage';

const on = stage();
const tab = watchedPage(on);

const { taskForm: form, tasks } = en;

interface Task { id: string; version: number; schedule: object; payload: unknown }

const button = (name: string) => tab.page.getByRole('button', { name, exact: true });
const inDialog = (name: string) => tab.page.getByRole('dialog').getByRole('button', { name, exact: true });

/** Begins a new task of the handler, as a person does: from the list, with what the form offers. */
async function begin(name: string, handler: string) {
  await visit(tab.page, on.server.address, '/tasks');
  await tab.page.getByRole('link', { name: tasks.action.new, exact: true }).first().click();
  await tab.page.getByRole('textbox', { name: form.name }).first().fill(name);
  for (const [label, value] of [[form.service, 'billing'], [form.handler, handler]] as const) {
    await tab.page.getByRole('textbox', { name: label }).first().click();
    await tab.page.getByRole('option', { name: value, exact: true }).click();
  }
}

/** Saves the new task, and returns it as the server has it. */
async function create(): Promise<Task> {
  await button(form.create).click();
  await tab.page.waitForURL(/\/tasks\/\d+$/);
  return on.server.get<Task>(`/api/v1/tasks/${tab.page.url().split('/').pop() ?? ''}`);
}

it('creates a task that runs at 09:30 on business days in New York', async () => {
  await begin('open the shop', 'echo');
  await tab.page.getByText(form.mode.days, { exact: true }).click();
  await button(form.day_set.business_days).click();
  await tab.page.locator('input[type="time"]').fill('09:30');
  await tab.page.getByRole('textbox', { name: form.zone }).first().fill('New York');
  await tab.page.getByRole('option', { name: /New.York/ }).first().click();
  await tab.page.getByText(form.preview.next_in.replace('{{zone}}', 'America/New_York')).waitFor();
  const { schedule } = await create();
  expect(schedule).toMatchObject({ kind: 'cron', cron: '30 9 * * 1-5', zone: 'America/New_York' });
});

it('creates a task that runs every second, shows each run as it ends, and compares its versions after an edit', async () => {
  await begin('tick', 'echo');
  await tab.page.getByText(form.mode.interval, { exact: true }).click();
  await tab.page.getByLabel(form.pause, { exact: true }).first().fill('1');
  await tab.page.getByLabel(form.unit_of.replace('{{name}}', form.pause)).selectOption('s');
  const { id } = await create();
  const runs = tab.page.locator('main').getByRole('link', { name: new RegExp(en.shared.state.succeeded) });
  await until('three runs are shown without a reload', async () => (await runs.count()) >= 3);

  await visit(tab.page, on.server.address, `/tasks/${id}/edit`);
  await tab.page.locator('.cm-content').first().fill('{"turn": 2}');
  await button(form.review).click();
  await inDialog(en.shared.save).click();
  await tab.page.waitForURL(new RegExp(`/tasks/${id}$`));
  expect(await on.server.get<Task>(`/api/v1/tasks/${id}`)).toMatchObject({ version: 2, payload: { turn: 2 } });
  await tab.page.getByRole('button', { name: new RegExp(`^${tasks.versions.version} 2`) }).first().click();
  await tab.page.getByText(`${form.section.payload} · turn`).first().waitFor();
  await on.server.post(`/api/v1/tasks/${id}/disable`, {});
});

it('names the field of an input that is wrong, and keeps what was entered', async () => {
  await begin('needs a handler', 'echo');
  await tab.page.getByRole('textbox', { name: form.name }).first().fill('');
  await button(form.create).click();
  await tab.page.getByText(form.fault.needed).waitFor();
  expect(await tab.page.getByRole('textbox', { name: form.handler }).first().inputValue()).toBe('echo');
});

it('previews a daily window with a calendar that leaves times out, before the task is saved', async () => {
  await begin('count the till', 'echo');
  await tab.page.getByText(form.mode.window, { exact: true }).click();
  await tab.page.getByRole('button', { name: form.more }).click();
  await tab.page.getByRole('textbox', { name: form.calendars.label }).first().click();
  await tab.page.getByRole('option', { name: 'bank-holidays', exact: true }).click();
  await tab.page.keyboard.press('Escape');
  // A Saturday with a Sunday behind it, which the calendar leaves out.
  await tab.page.getByLabel(form.start_at).fill('2031-03-01T00:00');
  const preview = tab.page.getByRole('region', { name: form.preview.title });
  await preview.getByText(/ are left out by bank-holidays$/).waitFor();
  const firings = preview.getByRole('list', { name: form.preview.next }).getByRole('listitem');
  expect(await firings.count()).toBe(10);
  expect(await firings.first().textContent()).toMatch(/Mon.*Mar.*2031/);
});

it('says why a schedule has no planned times', async () => {
  await begin('rest', 'echo');
  await tab.page.getByText(form.mode.api, { exact: true }).click();
  const preview = tab.page.getByRole('region', { name: form.preview.title });
  await preview.getByText(form.preview.unplanned.api).waitFor();
  await tab.page.getByText(form.mode.interval, { exact: true }).click();
  await preview.getByRole('listitem').first().waitFor();
});
