import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import zh from '@/i18n/zh';
import { accessibility, open, overhang, phone, visit, type Watched } from './browser';
import { stage } from './stage';

// What is done to several things at once, and to a client: in Chinese, on a phone in the dark.
const on = stage();
let tab: Watched;
beforeEach(async () => { tab = await open(on.browser, on.server.address, { ...phone, colorScheme: 'dark', language: 'zh-CN' }); });
afterEach(async () => {
  expect(tab.complaints).toEqual([]);
  await tab.close();
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, ...(typeof name === 'string' ? { exact: true } : {}) }).first();

/** A dialog is there, fits, speaks Chinese, and is cancelled. */
async function look(page: Page) {
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  expect(await dialog.innerText()).toMatch(/\p{Script=Han}{4}/u);
  expect(await accessibility(page)).toEqual([]);
  expect(await overhang(page)).toBeLessThanOrEqual(0);
  await dialog.getByRole('button', { name: zh.shared.cancel, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

it('a client is drained', async () => {
  await visit(tab.page, on.server.address, '/services/default/billing');
  await button(tab.page, new RegExp(`^${zh.services.drain.title.replace('{{name}}', '')}`)).click();
  await look(tab.page);
});

it('dead letters run again or are dismissed, all at once', async () => {
  await visit(tab.page, on.server.address, '/dead-letters');
  for (const how of ['retry', 'dismiss'] as const) {
    await button(tab.page, zh.deadLetters.action_all[how]).click();
    await look(tab.page);
  }
});

it('several tasks are enabled, disabled or deleted', async () => {
  await visit(tab.page, on.server.address, '/tasks');
  await tab.page.locator('tbody input[type=checkbox]').first().check();
  for (const action of ['disable', 'delete'] as const) {
    await button(tab.page, zh.tasks.action[action]).click();
    await look(tab.page);
  }
});
