import { expect, it } from 'vitest';
import en from '@/i18n/en';
import { visit } from './browser';
import { ended, runTask } from './data';
import { stage, watchedPage } from './stage';

const on = stage();
const tab = watchedPage(on);

const go = (path: string) => visit(tab.page, on.server.address, path);
const state = (name: keyof typeof en.shared.state) => tab.page.locator('main').getByText(en.shared.state[name], { exact: true }).first();
const button = (name: string) => tab.page.getByRole('button', { name, exact: true });
const inDialog = (name: string) => tab.page.getByRole('dialog').getByRole('button', { name, exact: true });

it('runs a task by hand and follows it until it has ended', async () => {
  await go(`/tasks/${on.data.tasks.invoices}`);
  await button(en.tasks.action.run).click();
  await inDialog(en.tasks.action.run).click();
  await tab.page.waitForURL(/\/executions\/\d+/);
  await state('succeeded').waitFor();
  // The echo of the payload.
  expect(await tab.page.locator('main').innerText()).toContain('ACME');
});

it('cancels an execution that runs, and shows its end', async () => {
  const execution = await runTask(on.server, on.data.tasks.archive);
  await go(`/executions/${execution}`);
  await state('running').waitFor();
  await button(en.executions.action.cancel).click();
  await inDialog(en.executions.action.cancel).click();
  await state('cancelled').waitFor();
  await ended(on.server, execution);
});

it('ends the wait for a handler that does not return, and runs the next execution of its key', async () => {
  await on.server.runDeafClient();
  const task = await on.server.post('/api/v1/tasks', {
    name: 'never returns', service: 'stubborn', handler: 'deaf', payload: { ms: 600_000 }, schedule: { kind: 'api' }, timeout_ms: 1000, stop_grace_ms: 1000,
    concurrency: { limit: 1 },
  });
  const deaf = await runTask(on.server, task.id);
  const next = await runTask(on.server, task.id);
  await go(`/executions/${next}`);
  await tab.page.getByText(en.server.handler_runs).first().waitFor();
  await tab.page.getByRole('alert').getByRole('link', { name: deaf }).click();
  await button(en.executions.action.release).click();
  await tab.page.getByText(en.executions.help.release).waitFor();
  await inDialog(en.executions.action.release).click();
  await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
  await go(`/executions/${next}`);
  await state('running').waitFor();
});

it('drains a client and resumes it', async () => {
  const { services } = en;
  await go('/services/default/billing');
  await tab.page.getByText(/of 16 slots free/).first().waitFor();
  const drain = tab.page.getByRole('button', { name: /^Drain / });
  await drain.click();
  await tab.page.getByLabel(services.drain.reason).fill('new disk');
  await inDialog(services.drain.do).click();
  await tab.page.getByRole('table').getByText(services.drained).waitFor();
  await tab.page.getByText(/new disk/).waitFor();
  await tab.page.getByRole('button', { name: /^Resume / }).click();
  await inDialog(services.resume.do).click();
  await drain.waitFor();
});

it('tells why an execution waits', async () => {
  const first = await runTask(on.server, on.data.tasks.archive);
  const second = await runTask(on.server, on.data.tasks.archive);
  await go(`/executions/${second}`);
  await tab.page.getByText(en.executions.why_waits).waitFor();
  await tab.page.getByText(en.server.task_concurrency).first().waitFor();
  await tab.page.getByText('The task allows 1 at a time; 1 is under way').waitFor();
  for (const execution of [second, first]) await on.server.post(`/api/v1/executions/${execution}/cancel`, {});
  for (const execution of [second, first]) await ended(on.server, execution);
});

it('runs dead letters again, all at once', async () => {
  for (let n = 0; n < 3; ++n) await ended(on.server, await runTask(on.server, on.data.tasks.balance));
  await go('/dead-letters');
  const rows = tab.page.locator('tbody tr');
  await rows.nth(3).waitFor();
  await tab.page.getByLabel(en.shared.select_all).check();
  await button(en.deadLetters.action.retry).click();
  await inDialog(en.deadLetters.action.retry).click();
  await tab.page.getByText(/dead letters are dealt with/).waitFor();
});

it('keeps the payloads of dead letters that a filter finds, unless another one is entered', async () => {
  const { deadLetters, shared } = en;
  for (const n of [1, 2]) await ended(on.server, (await on.server.post<{ execution: string }>(`/api/v1/tasks/${on.data.tasks.balance}/run`, { payload: { n } })).execution);
  await go(`/dead-letters?task=${on.data.tasks.balance}`);
  await tab.page.locator('tbody').getByText('the ledger of the day is not balanced').first().waitFor();
  await button(deadLetters.action_all.retry).click();
  await tab.page.getByRole('radio', { name: deadLetters.other_payload }).check();
  await tab.page.getByText(deadLetters.payloads_differ).waitFor();
  await inDialog(deadLetters.action.retry).click();
  await tab.page.getByRole('dialog').getByText(shared.json_empty).waitFor();
  await tab.page.getByRole('radio', { name: deadLetters.own_payload }).check();
  const sent = tab.page.waitForRequest((request) => request.url().endsWith('/dead-letters/retry'));
  await inDialog(deadLetters.action.retry).click();
  expect((await sent).postDataJSON()).not.toHaveProperty('payload');
  await tab.page.getByText(/dead letters? (is|are) dealt with/).waitFor();
});

it('dismisses the dead letters with a text in their error, and says how many before', async () => {
  await ended(on.server, await runTask(on.server, on.data.tasks.balance));
  await go('/dead-letters?error=EXIT%20status');
  await tab.page.locator('tbody tr').first().waitFor();
  await button(en.deadLetters.action_all.dismiss).click();
  await tab.page.getByRole('dialog', { name: /^Dismiss \d+ dead letter|^Dismiss all \d+ dead letters/ }).waitFor();
  await inDialog(en.deadLetters.action.dismiss).click();
  await tab.page.getByText(/is dealt with|are dealt with/).waitFor();
  await tab.page.getByText(en.deadLetters.none.open).waitFor();
});

it('disables several tasks at once, and enables them again', async () => {
  await go('/tasks?label=team%3Abilling');
  await tab.page.locator('tbody tr').nth(1).waitFor();
  for (const [action, enabled] of [['disable', false], ['enable', true]] as const) {
    await tab.page.getByLabel(en.shared.select_all).check();
    await button(en.tasks.action[action]).click();
    const done = tab.page.waitForResponse((answer) => answer.url().includes(`/tasks/${on.data.tasks.reminders}/${action}`));
    await inDialog(en.tasks.action[action]).click();
    await done;
    await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
    for (const id of [on.data.tasks.invoices, on.data.tasks.reminders]) expect((await on.server.get<{ enabled: boolean }>(`/api/v1/tasks/${id}`)).enabled).toBe(enabled);
  }
});

it('compares the versions of a task, after an edit', async () => {
  await on.server.call('PATCH', `/api/v1/tasks/${on.data.tasks.invoices}`, { payload: { customer: 'Globex', copies: 3 } });
  await go(`/tasks/${on.data.tasks.invoices}`);
  const { version, edited } = en.tasks.versions;
  await tab.page.getByRole('button', { name: new RegExp(`^${version} \\d+ ${edited}`) }).first().click();
  await tab.page.getByText('Globex').first().waitFor();
});

it('goes to a page by the keyboard alone', async () => {
  await go('/');
  await tab.page.keyboard.press('Control+k');
  await tab.page.getByPlaceholder(en.shell.search_placeholder).fill(en.nodes.title);
  await tab.page.keyboard.press('Enter');
  await tab.page.waitForURL(/\/nodes$/);
});
