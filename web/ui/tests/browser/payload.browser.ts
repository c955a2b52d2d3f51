import { beforeAll, expect, it } from 'vitest';
import en from '@/i18n/en';
import zh from '@/i18n/zh';
import { accessibility, open, overhang, phone, visit } from './browser';
import { stage, watchedPage } from './stage';

const on = stage();
const tab = watchedPage(on);
beforeAll(async () => on.server.runPythonClient());

const { payload: words, taskForm: form, tasks } = en;
const named = (text: string) => text.replace('{{handler}}', 'sleep');
const least = words.finding.minimum.replace('{{limit}}', '0');

interface Task { id: string; payload: unknown }

async function createSleep(name: string): Promise<Task> {
  return on.server.post<Task>('/api/v1/tasks', { name, service: 'python', handler: 'sleep', payload: { seconds: 0 }, schedule: { kind: 'api' } });
}

it('shows what a handler expects, and asks once before it saves a payload that does not fit', async () => {
  const { page } = tab;
  await visit(page, on.server.address, '/tasks/new');
  await page.getByRole('textbox', { name: form.name }).first().fill('have a rest');
  await page.getByText(form.mode.api, { exact: true }).click();
  await page.getByRole('textbox', { name: form.service }).first().fill('python');
  await page.getByRole('textbox', { name: form.handler }).first().click();
  const choice = page.getByRole('option', { name: /^sleep/ });
  await choice.getByText('can be cancelled').waitFor();
  await choice.click();
  await page.getByText(`: ${words.finding.missing}`).waitFor();
  await page.getByRole('button', { name: named(words.expected.title) }).waitFor();
  await page.getByText(new RegExp(`${words.types.number} · ${words.expected.required} · at least 0`)).waitFor();

  await page.getByRole('button', { name: words.example, exact: true }).click();
  await page.getByText(named(words.fits)).waitFor();
  await page.getByText(words.as_form, { exact: true }).click();
  const seconds = page.getByRole('textbox', { name: 'seconds' });
  expect(await seconds.inputValue()).toBe('2');
  await seconds.fill('-1');
  await page.getByText(`: ${least}`).waitFor();
  expect(await accessibility(page)).toEqual([]);
  await page.getByText(words.as_text, { exact: true }).click();
  expect(await page.locator('.cm-content').first().innerText()).toContain('-1');

  await page.getByRole('button', { name: form.create, exact: true }).click();
  await page.getByRole('dialog', { name: form.misfit_title }).getByText(`: ${least}`).waitFor();
  await page.getByRole('button', { name: form.misfit_confirm, exact: true }).click();
  await page.waitForURL(/\/tasks\/\d+$/);
  expect((await on.server.get<Task>(`/api/v1/tasks/${page.url().split('/').pop() ?? ''}`)).payload).toEqual({ seconds: -1 });
});

it('checks the payload of a run by hand while it is typed', async () => {
  const { page } = tab;
  const { id } = await createSleep('sleep by hand');
  await visit(page, on.server.address, `/tasks/${id}`);
  await page.getByRole('button', { name: tasks.action.run, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(named(words.fits)).waitFor();
  const text = dialog.getByRole('textbox', { name: tasks.run.payload });
  await text.fill('{"seconds": "two"}');
  await dialog.getByText(words.finding.type.replace('{{limit}}', words.types.number).replace('{{is}}', words.types.string)).waitFor();
  await text.fill('{"seconds": 0.1}');
  await dialog.getByText(named(words.fits)).waitFor();
  await dialog.getByRole('button', { name: tasks.action.run, exact: true }).click();
  await page.waitForURL(/\/executions\/\d+/);
  await page.locator('main').getByText(en.shared.state.succeeded, { exact: true }).first().waitFor();
});

it('lists the handlers of a service with what they expect', async () => {
  await visit(tab.page, on.server.address, '/services/default/python');
  await tab.page.getByRole('button', { name: /^sleep/ }).click();
  await tab.page.getByText('seconds', { exact: true }).first().waitFor();
});

it('finds what does not fit in Chinese, on a phone in the dark', async () => {
  const { id } = await createSleep('sleep in Chinese');
  const { page, complaints, close } = await open(on.browser, on.server.address, { ...phone, colorScheme: 'dark', language: 'zh-CN' });
  await visit(page, on.server.address, `/tasks/${id}/edit`);
  await page.locator('.cm-content').first().fill('{"seconds": -1}');
  await page.getByText(zh.payload.finding.minimum.replace('{{limit}}', '0')).waitFor();
  expect(await accessibility(page)).toEqual([]);
  expect(await overhang(page)).toBeLessThanOrEqual(0);
  expect(complaints).toEqual([]);
  await close();
});
