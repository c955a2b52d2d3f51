import { expect, it } from 'vitest';
import en from '@/i18n/en';
import { open, overhang, phone, visit } from './browser';
import { ended } from './data';
import { until } from './server';
import { stage, watchedPage } from './stage';

const on = stage();
const tab = watchedPage(on);

const go = (path: string) => visit(tab.page, on.server.address, path);
const main = () => tab.page.locator('main');

it('finds executions that wait for a client among those that wait, and leads to the service', async () => {
  const task = await on.server.post('/api/v1/tasks?allow_unserved=true', { name: 'send a fax', service: 'fax', handler: 'send', schedule: { kind: 'api' } });
  const { execution } = await on.server.post<{ execution: string }>(`/api/v1/tasks/${task.id}/run?allow_unserved=true`, {});
  for (const state of ['waiting', 'waiting,running,retrying']) {
    await go(`/executions?task=${task.id}&state=${state}`);
    await tab.page.locator(`tbody a[href$="/executions/${execution}"]`).waitFor();
    await tab.page.locator('tbody').getByText(en.shared.state.waiting, { exact: true }).waitFor();
  }
  await go(`/tasks/${task.id}`);
  await tab.page.getByText(en.tasks.waiting.title_one).waitFor();
  expect(await main().innerText()).not.toMatch(/\d planned/);
  await go(`/executions/${execution}`);
  await tab.page.getByRole('link', { name: 'no client of service fax' }).click();
  await tab.page.waitForURL(/\/services\/default\/fax$/);
  await on.server.post(`/api/v1/executions/${execution}/cancel`, {});
  await ended(on.server, execution);
});

it('leads from a failed execution to the one that ran it again, and shows the cause of the failure first', async () => {
  await go(`/executions/${on.data.failed}`);
  const text = await main().innerText();
  expect(text.indexOf('the ledger of the day is not balanced')).toBeLessThan(text.indexOf(en.executions.facts));
  expect(text.indexOf(en.executions.stderr)).toBeLessThan(text.indexOf(en.executions.timeline));
  const { items: [letter] } = await on.server.post<{ items: { rerun: string }[] }>('/api/v1/dead-letters/retry', { executions: [on.data.failed] });
  await main().getByRole('link', { name: letter?.rerun ?? '', exact: true }).waitFor();
  await tab.page.getByRole('button', { name: en.executions.action.retry, exact: true }).click();
  await tab.page.getByRole('dialog').getByText(/It was run again before/).waitFor();
  await tab.page.keyboard.press('Escape');
  await ended(on.server, letter?.rerun ?? '');
  let answer = () => {};
  const held = new Promise<void>((resolve) => { answer = resolve; });
  await tab.page.route(/cause=rerun/, async (route) => { await held; await route.continue(); });
  // The second time the page knows the execution, and goes on without a moment in which it shows nothing.
  for (let time = 0; time < 2; time += 1) {
    await main().getByRole('link', { name: letter?.rerun ?? '', exact: true }).click();
    await main().getByText(en.executions.rerun_of).waitFor();
    expect(await main().getByText(en.executions.rerun_as).count()).toBe(0); // what ran the other one again is no answer here
    await tab.page.goBack();
  }
  answer();
});

it('dims the rows of former filters until the answer is there', async () => {
  await go('/executions');
  let answer = () => {};
  const held = new Promise<void>((resolve) => { answer = resolve; });
  await tab.page.route(/state=succeeded/, async (route) => { await held; await route.continue(); });
  await tab.page.getByRole('textbox', { name: en.executions.state }).click();
  await tab.page.getByRole('option', { name: en.shared.state.succeeded, exact: true }).click();
  await tab.page.locator('[data-stale]').waitFor();
  expect(await tab.page.locator('tbody input[type=checkbox]').first().isDisabled()).toBe(true);
  answer();
  await tab.page.locator('[data-stale]').waitFor({ state: 'detached' });
  await until('rows can be chosen', async () => !(await tab.page.locator('tbody input[type=checkbox]').first().isDisabled()));
});

it('replaces the zone by what is typed after a click', async () => {
  await go('/tasks/new');
  const zone = tab.page.getByRole('textbox', { name: en.taskForm.zone }).first();
  await zone.click();
  await tab.page.keyboard.type('new york');
  await tab.page.getByRole('option', { name: 'America/New_York' }).click();
  expect(await zone.inputValue()).toBe('America/New_York');
});

it('says when the server does not answer', async () => {
  await go('/');
  await tab.page.locator('[data-live=stream]:visible').waitFor();
  on.server.pause();
  try {
    await tab.page.locator('[data-live=silent]').waitFor();
  } finally {
    on.server.resume();
  }
  await tab.page.locator('[data-live=stream]:visible').waitFor();
  tab.complaints.splice(0);
});

it('keeps open filters within the width of a phone', async () => {
  const { page, close } = await open(on.browser, on.server.address, phone);
  const wide: Record<string, number> = {};
  for (const path of ['/executions', '/dead-letters', '/services', '/tasks', '/nodes']) {
    await visit(page, on.server.address, path);
    await page.getByRole('button', { name: new RegExp(`^${en.shared.filters}`) }).click();
    await page.locator('[role=search] [data-open]').waitFor();
    const over = await overhang(page);
    if (over > 0) wide[path] = over;
  }
  expect(wide).toEqual({});
  await close();
});
