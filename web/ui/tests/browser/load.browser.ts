import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { base, launch, open, shown } from './browser';
import { fill } from './data';
import { Server } from './server';

const mostBytes = 300_000;
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

it('the first load is small', async () => {
  const { page, close } = await open(browser, server.address);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const files = new Map<string, string>();
  let bytes = 0;
  session.on('Network.requestWillBeSent', ({ requestId, request }) => files.set(requestId, request.url));
  // The bytes on the wire, with the header.
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (!files.get(requestId)?.includes('/api/')) bytes += encodedDataLength;
  });
  await page.goto(`${server.address}${base}/`);
  await shown(page);
  console.log(`first load: ${Math.round(bytes / 1000)} kB compressed in ${[...files.values()].filter((url) => !url.includes('/api/')).length} files`);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(mostBytes);
  await close();
});

it('a slow processor shows the overview', async () => {
  const { page, close } = await open(browser, server.address);
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.goto(`${server.address}${base}/`);
  await page.locator('main h1, main h2').first().waitFor();
  const ms = await page.evaluate(() => performance.now());
  // Only told: the time depends on what else the machine does.
  console.log(`interactive after ${Math.round(ms)} ms with the processor slowed four times`);
  await close();
});
