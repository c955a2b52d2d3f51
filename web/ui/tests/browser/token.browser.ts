import { expect, it } from 'vitest';
import en from '@/i18n/en';
import { accessibility, base, open, shown } from './browser';
import { stage } from './stage';

const on = stage();

const { title, label, send } = en.shell.token;

it('the page asks for the token, again if it is wrong, and keeps it for the tab', async () => {
  const address = await on.server.runWebWithToken('open sesame');
  const { page, close } = await open(on.browser, address);
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
