import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import en from '@/i18n/en';
import { accessibility, base, launch, open, shown } from './browser';
import { fill } from './data';
import { Server } from './server';

const { title, label, send } = en.shell.token;
let server: Server;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([Server.start(), launch()]);
  await fill(server);
});
afterAll(async () => {
  await browser?.close();
  await server?.end();
});

it('the page asks for the token, again if it is wrong, and keeps it for the tab', async () => {
  const address = await server.runWebWithToken('open sesame');
  const { page, close } = await open(browser, address);
  const dialog = page.getByRole('dialog', { name: title });
  async function answer(token: string) {
    await dialog.getByLabel(label, { exact: true }).fill(token);
    await dialog.getByRole('button', { name: send }).click();
  }
  await page.goto(`${address}${base}/tasks`);
  await dialog.waitFor();
  expect(await accessibility(page)).toEqual([]);
  const refused = page.waitForResponse((response) => response.status() === 401);
  await answer('open barley');
  await refused;
  await dialog.waitFor();
  await answer('open sesame');
  await page.getByRole('link', { name: 'send invoices' }).waitFor();
  await dialog.waitFor({ state: 'hidden' });
  await page.reload();
  await shown(page);
  await page.getByRole('link', { name: 'send invoices' }).waitFor();
  await close();
});
