import { expect, it } from 'vitest';
import en from '@/i18n/en';
import { base, open, shown } from './browser';
import { stage } from './stage';

const on = stage();

it('drains and resumes a client whose home does not answer, and says when that takes effect', async () => {
  const { services, shell } = en;
  const token = 'open sesame';
  const address = await on.server.runWebWithToken(token);
  const { page, complaints, close } = await open(on.browser, address);
  await page.goto(`${address}${base}/services/default/billing`);
  await page.getByRole('dialog', { name: shell.token.title }).getByLabel(shell.token.label, { exact: true }).fill(token);
  await page.getByRole('button', { name: shell.token.send }).click();
  await page.getByText(/of 16 slots free/).first().waitFor();
  await shown(page);
  complaints.splice(0); // the refusals without the token
  // The program that plans and is the home of the client; the page comes from another one.
  await on.server.kill();

  const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
  const notTold = (what: 'drain' | 'resume') => page.getByRole('alert').filter({ hasText: services.not_told[what].replace('{{name}}', '') });
  await page.getByRole('button', { name: /^Drain / }).click();
  await inDialog(services.drain.do).click();
  await notTold('drain').getByText(services.home.no_answer).waitFor();
  await page.getByRole('table').getByText(services.drained).waitFor();

  await page.getByRole('button', { name: /^Resume / }).click();
  await inDialog(services.resume.do).click();
  await notTold('resume').waitFor();
  await page.getByRole('table').getByText(services.drained).waitFor({ state: 'detached' });
  const read = await fetch(`${address}/api/v1/clients`, { headers: { Authorization: `Bearer ${token}` } });
  expect(((await read.json()) as { items: { service: string; drained: object | null }[] }).items.find(({ service }) => service === 'billing')?.drained).toBeNull();
  expect(complaints).toEqual([]);
  await close();
});
