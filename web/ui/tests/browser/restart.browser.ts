import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import en from '@/i18n/en';
import { launch, open, visit } from './browser';
import { type Data, ended, fill, runTask } from './data';
import { Server } from './server';

let server: Server;
let browser: Browser;
let data: Data;

beforeAll(async () => {
  [server, browser] = await Promise.all([Server.start(), launch()]);
  data = await fill(server);
});
afterAll(async () => {
  await browser?.close();
  await server?.end();
});

it('an open page outlives the server: it polls, then finds the stream again and shows what is new', async () => {
  const { page, complaints, close } = await open(browser, server.address);
  await visit(page, server.address, '/executions');
  const badge = (name: 'stream' | 'poll') => page.getByRole('banner').getByText(en.shell.live[name], { exact: true });
  await badge('stream').waitFor();
  await server.kill();
  await badge('poll').waitFor();
  await server.run();
  await badge('stream').waitFor();
  const execution = await runTask(server, data.tasks.reminders);
  await ended(server, execution);
  // Without a reload: the row came by the stream.
  await page.locator(`main a[href$="/executions/${execution}"]`).waitFor();
  expect(complaints.filter((line) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_SOCKET_NOT_CONNECTED/.test(line))).toEqual([]);
  await close();
});
