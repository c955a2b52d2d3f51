import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import en from '@/i18n/en';
import { desktop, launch, open, phone, visit } from './browser';
import { ended } from './data';
import { stage } from './stage';

const on = stage();

it('keeps the header and the page in their places when a scrollbar appears, and when a dialog hides it', async () => {
  const browser = await launch({ scrollbars: true });
  const { page, close } = await open(browser, on.server.address);
  await visit(page, on.server.address, '/executions');
  const lefts = async (shown: Page) => {
    const boxes = [shown.getByRole('button', { name: en.shell.theme.to_dark }), shown.locator('main h1')].map((one) => one.boundingBox());
    return (await Promise.all(boxes)).map((box) => box?.x);
  };
  const scrolls = () => page.evaluate(() => document.documentElement.scrollHeight > document.documentElement.clientHeight);
  await page.setViewportSize({ ...desktop.viewport, height: 3000 });
  expect(await scrolls()).toBe(false);
  const before = await lefts(page);
  await page.setViewportSize({ ...desktop.viewport, height: 300 });
  expect(await scrolls()).toBe(true);
  expect(await lefts(page)).toEqual(before);
  await page.getByRole('button', { name: en.shell.search }).first().click();
  await page.getByRole('dialog').waitFor();
  await page.locator('body[data-scroll-locked]').waitFor();
  expect(await lefts(page)).toEqual(before);
  await close();
  await browser.close();
});

it('shows the whole reason on a phone', async () => {
  const service = 'a-service-with-a-name-that-takes-more-than-two-lines-of-the-column-on-a-phone-of-usual-width';
  const task = await on.server.post('/api/v1/tasks?allow_unserved=true', { name: 'wait', service, handler: 'send', schedule: { kind: 'api' } });
  const { execution } = await on.server.post<{ execution: string }>(`/api/v1/tasks/${task.id}/run?allow_unserved=true`, {});
  const { page, close } = await open(on.browser, on.server.address, phone);
  await visit(page, on.server.address, `/executions?task=${task.id}`);
  const why = page.locator('td[data-column=why] > *').first();
  await why.getByText(service).waitFor();
  expect(await why.evaluate(({ scrollHeight, clientHeight, scrollWidth, clientWidth }) => scrollHeight <= clientHeight && scrollWidth <= clientWidth)).toBe(true);
  await close();
  await on.server.post(`/api/v1/executions/${execution}/cancel`, {});
  await ended(on.server, execution);
});
