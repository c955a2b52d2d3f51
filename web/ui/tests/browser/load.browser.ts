import { expect, it } from 'vitest';
import en from '@/i18n/en';
import { accessibility, base, open, shown } from './browser';
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

it('the shell answers before React is loaded, and hands over', async () => {
  const { page, complaints, close } = await open(on.browser, on.server.address);
  let release = () => {};
  const released = new Promise<void>((resolve) => { release = resolve; });
  await page.route(/\/assets\/main-.*\.js/, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(`${on.server.address}${base}/`, { waitUntil: 'commit' });
  const heading = (text: string) => page.getByRole('heading', { level: 1, name: text });
  await heading(en.overview.title).waitFor();
  expect(await accessibility(page)).toEqual([]);
  const place = page.getByRole('navigation').getByRole('link', { name: en.executions.title });
  await place.click();
  await heading(en.executions.title).waitFor();
  await place.focus();
  expect(new URL(page.url()).pathname).toBe(`${base}/executions`);
  expect(await page.locator('[data-still]').count()).toBe(1);
  release();
  await shown(page);
  await heading(en.executions.title).waitFor();
  expect(await page.locator('[data-still]').count()).toBe(0);
  expect(await place.evaluate((link) => link === document.activeElement)).toBe(true);
  expect(complaints).toEqual([]);
  await close();
});

it('a slow processor shows the overview', async () => {
  const { page, close } = await open(on.browser, on.server.address);
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  // The place is clicked as soon as it is painted: the answer is the mark on it. React is there once the first shell is gone.
  await page.addInitScript(() => {
    let still = false;
    new MutationObserver((_, observer) => {
      const now = document.querySelector('[data-still]') !== null;
      if (still && !now) {
        performance.mark('alive');
        observer.disconnect();
      }
      still ||= now;
    }).observe(document, { subtree: true, childList: true });
    const look = new MutationObserver(() => {
      const link = document.querySelector<HTMLAnchorElement>('nav a[href$="/tasks"]');
      if (link?.getAttribute('aria-current') === 'page') {
        performance.mark('answered');
        look.disconnect();
      } else if (link && !link.dataset.clicked) {
        link.dataset.clicked = 'true';
        requestAnimationFrame(() => setTimeout(() => link.click()));
      }
    });
    look.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-current'] });
  });
  await page.goto(`${on.server.address}${base}/`);
  const at = (name: string) => page.evaluate((of) => Math.round(performance.getEntriesByName(of)[0]?.startTime ?? NaN), name);
  await shown(page);
  // Only told: the times depend on what else the machine does.
  console.log(`with the processor slowed four times: painted after ${await at('first-contentful-paint')} ms, a click answered after ${await at('answered')} ms, React there after ${await at('alive')} ms`);
  await close();
});
