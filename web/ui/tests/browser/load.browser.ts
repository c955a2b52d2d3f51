import { expect, it } from 'vitest';
import { base, open, shown } from './browser';
import { stage } from './stage';

const on = stage();

const mostBytes = 300_000;

it('the first load is small', async () => {
  const { page, close } = await open(on.browser, on.server.address);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const files = new Map<string, string>();
  let bytes = 0;
  session.on('Network.requestWillBeSent', ({ requestId, request }) => files.set(requestId, request.url));
  // The bytes on the wire, with the header.
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (!files.get(requestId)?.includes('/api/')) bytes += encodedDataLength;
  });
  await page.goto(`${on.server.address}${base}/`);
  await shown(page);
  console.log(`first load: ${Math.round(bytes / 1000)} kB compressed in ${[...files.values()].filter((url) => !url.includes('/api/')).length} files`);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(mostBytes);
  await close();
});

it('a slow processor shows the overview', async () => {
  const { page, close } = await open(on.browser, on.server.address);
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.goto(`${on.server.address}${base}/`);
  await page.locator('main h1, main h2').first().waitFor();
  const ms = await page.evaluate(() => performance.now());
  // Only told: the time depends on what else the machine does.
  console.log(`interactive after ${Math.round(ms)} ms with the processor slowed four times`);
  await close();
});
