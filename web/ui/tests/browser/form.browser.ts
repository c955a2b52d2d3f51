import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import en from '@/i18n/en';
import { launch, open, visit, type Watched } from './browser';
import { Server, until } from './server';

const { taskForm: form, tasks } = en;

interface Task { id: string; version: number; schedule: object; payload: unknown }

let server: Server;
let browser: Browser;
let watched: Watched;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([Server.start(), launch()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.end();
});
beforeEach(async () => {
  watched = await open(browser, server.address);
  page = watched.page;
});
afterEach(async () => {
  expect(watched.complaints).toEqual([]);
  await watched.close();
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

/** Begins a new task of the handler, as a person does: from the list, with what the form offers. */
async function begin(name: string, handler: string) {
  await visit(page, server.address, '/tasks');
  await page.getByRole('link', { name: tasks.action.new, exact: true }).first().click();
  await page.getByRole('textbox', { name: form.name }).first().fill(name);
  for (const [label, value] of [[form.service, 'billing'], [form.handler, handler]] as const) {
    await page.getByRole('textbox', { name: label }).first().click();
    await page.getByRole('option', { name: value, exact: true }).click();
  }
}

/** Saves the new task, and returns it as the server has it. */
async function create(): Promise<Task> {
  await button(form.create).click();
  await page.waitForURL(/\/tasks\/\d+$/);
  return server.get<Task>(`/api/v1/tasks/${page.url().split('/').pop() ?? ''}`);
}

it('creates a task that runs at 09:30 on business days in New York', async () => {
  await begin('open the shop', 'echo');
  await page.getByText(form.mode.days, { exact: true }).click();
  await button(form.day_set.business_days).click();
  await page.locator('input[type="time"]').fill('09:30');
  await page.getByRole('textbox', { name: form.zone }).first().fill('New York');
  await page.getByRole('option', { name: /New.York/ }).first().click();
  await page.getByText(form.preview.next_in.replace('{{zone}}', 'America/New York')).waitFor();
  const { schedule } = await create();
  expect(schedule).toMatchObject({ kind: 'cron', cron: '30 9 * * 1-5', zone: 'America/New_York' });
});

it('creates a task that runs every second, shows each run as it ends, and compares its versions after an edit', async () => {
  await begin('tick', 'echo');
  await page.getByText(form.mode.interval, { exact: true }).click();
  await page.getByLabel(form.pause, { exact: true }).first().fill('1');
  await page.getByLabel(form.unit_of.replace('{{name}}', form.pause)).selectOption('s');
  const { id } = await create();
  const runs = page.locator('main').getByRole('link', { name: new RegExp(en.shared.state.succeeded) });
  await until('three runs are shown without a reload', async () => (await runs.count()) >= 3);

  await visit(page, server.address, `/tasks/${id}/edit`);
  await page.locator('.cm-content').first().fill('{"turn": 2}');
  await button(form.review).click();
  await inDialog(en.shared.save).click();
  await page.waitForURL(new RegExp(`/tasks/${id}$`));
  expect(await server.get<Task>(`/api/v1/tasks/${id}`)).toMatchObject({ version: 2, payload: { turn: 2 } });
  await page.getByRole('button', { name: new RegExp(`^${tasks.versions.version} 2`) }).first().click();
  await page.getByText('payload.turn').first().waitFor();
  await server.post(`/api/v1/tasks/${id}/disable`, {});
});

it('names the field of an input that is wrong, and keeps what was entered', async () => {
  await begin('needs a handler', 'echo');
  await page.getByRole('textbox', { name: form.name }).first().fill('');
  await button(form.create).click();
  await page.getByText(form.fault.needed).waitFor();
  expect(await page.getByRole('textbox', { name: form.handler }).first().inputValue()).toBe('echo');
});
