import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { desktop, launch, open, visit } from './browser';
import { type Data, fill, keepBusy } from './data';
import { places } from './places';
import { Server } from './server';

const folder = process.env.BATON_SCREENSHOTS;
const mostBytes = 130_000;
let server: Server;
let browser: Browser;
let data: Data;

beforeAll(async () => {
  if (!folder) return;
  [server, browser] = await Promise.all([Server.start(), launch()]);
  data = await fill(server);
  await keepBusy(server, data);
}, 400_000);
afterAll(async () => {
  await browser?.close();
  await server?.end();
});

it.skipIf(!folder).each(['en', 'zh'])('pictures of every page in %s', async (language) => {
  const into = join(folder ?? '', language);
  mkdirSync(into, { recursive: true });
  const { page, close } = await open(browser, server.address, { ...desktop, language });
  for (const { name, path } of places(data)) {
    await visit(page, server.address, path);
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    const file = join(into, `${name}.png`);
    await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
    expect(statSync(file).size, file).toBeLessThanOrEqual(mostBytes);
  }
  await close();
});
