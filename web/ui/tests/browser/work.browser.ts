import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, afterEach, expect, it } from 'vitest';
import en from '@/i18n/en';
import { launch, open, visit, type Watched } from './browser';
import { type Data, ended, fill, runTask } from './data';
import { Server } from './server';

let server: Server;
let browser: Browser;
let data: Data;
let watched: Watched;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([Server.start(), launch()]);
  data = await fill(server);
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

const go = (path: string) => visit(page, server.address, path);
const state = (name: keyof typeof en.shared.state) => page.locator('main').getByText(en.shared.state[name], { exact: true }).first();
const button = (name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

it('runs a task by hand and follows it until it has ended', async () => {
  await go(`/tasks/${data.tasks.invoices}`);
  await button(en.tasks.action.run).click();
  await inDialog(en.tasks.action.run).click();
  await page.waitForURL(/\/executions\/\d+/);
  await state('succeeded').waitFor();
  // The echo of the payload.
  expect(await page.locator('main').innerText()).toContain('ACME');
});

it('cancels an execution that runs, and shows its end', async () => {
  const execution = await runTask(server, data.tasks.archive);
  await go(`/executions/${execution}`);
  await state('running').waitFor();
  await button(en.executions.action.cancel).click();
  await inDialog(en.executions.action.cancel).click();
  await state('cancelled').waitFor();
  await ended(server, execution);
});

it('tells why an execution waits', async () => {
  const first = await runTask(server, data.tasks.archive);
  const second = await runTask(server, data.tasks.archive);
  await go(`/executions/${second}`);
  await page.getByText(en.executions.why_waits).waitFor();
  await page.getByText(en.executions.waits_for.task_concurrency).first().waitFor();
  for (const execution of [second, first]) await server.post(`/api/v1/executions/${execution}/cancel`, {});
  for (const execution of [second, first]) await ended(server, execution);
});

it('runs dead letters again, all at once', async () => {
  for (let n = 0; n < 3; ++n) await ended(server, await runTask(server, data.tasks.balance));
  await go('/dead-letters');
  const rows = page.locator('tbody tr');
  await rows.nth(3).waitFor();
  await page.getByLabel(en.shared.select_all).check();
  await button(en.deadLetters.action.retry).click();
  await inDialog(en.deadLetters.action.retry).click();
  await page.getByText(/dead letters are dealt with/).waitFor();
});

it('disables several tasks at once, and enables them again', async () => {
  await go('/tasks?label=team%3Abilling');
  await page.locator('tbody tr').nth(1).waitFor();
  for (const [action, enabled] of [['disable', false], ['enable', true]] as const) {
    await page.getByLabel(en.shared.select_all).check();
    await button(en.tasks.action[action]).click();
    const done = page.waitForResponse((answer) => answer.url().includes(`/tasks/${data.tasks.reminders}/${action}`));
    await inDialog(en.tasks.action[action]).click();
    await done;
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    for (const id of [data.tasks.invoices, data.tasks.reminders]) expect((await server.get<{ enabled: boolean }>(`/api/v1/tasks/${id}`)).enabled).toBe(enabled);
  }
});

it('compares the versions of a task, after an edit', async () => {
  await server.call('PATCH', `/api/v1/tasks/${data.tasks.invoices}`, { payload: { customer: 'Globex', copies: 3 } });
  await go(`/tasks/${data.tasks.invoices}`);
  const { version, edited } = en.tasks.versions;
  await page.getByRole('button', { name: new RegExp(`^${version} \\d+ ${edited}`) }).first().click();
  await page.getByText('Globex').first().waitFor();
});

it('goes to a page by the keyboard alone', async () => {
  await go('/');
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(en.shell.search_placeholder).fill(en.nodes.title);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/nodes$/);
});
