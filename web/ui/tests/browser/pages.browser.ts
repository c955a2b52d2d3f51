import { readdirSync, readFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibility, desktop, open, overhang, phone, visit } from './browser';
import { places } from './places';
import { stage } from './stage';

const on = stage();

type Theme = 'light' | 'dark';

/** A key of the catalogues that is shown instead of its text. */
const bareKey = /(^|\s)[a-z]+(:[a-z_]+)?(\.[a-z_]+)+(\s|$)/;

async function accessibilityIn(page: Page, themes: Theme[]) {
  const found = [];
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' });
    found.push(...(await accessibility(page)).map((one) => ({ theme: colorScheme, ...one })));
  }
  return found;
}

/** Opens every page, and reads it with axe in these themes. */
async function checkAll(options: BrowserContextOptions & { language?: string }, themes: Theme[]) {
  const { page, complaints, close } = await open(on.browser, on.server.address, options);
  const wrong: Record<string, unknown> = {};
  for (const { name, path } of places(on.data)) {
    await visit(page, on.server.address, path);
    const found = {
      axe: await accessibilityIn(page, themes),
      overhang: await overhang(page),
      keys: (await page.locator('main').innerText()).split('\n').filter((line) => bareKey.test(line)),
      complaints: complaints.splice(0),
    };
    if (found.axe.length || found.overhang > 0 || found.keys.length || found.complaints.length) wrong[name] = found;
  }
  expect(wrong).toEqual({});
  await close();
}

describe('every page', () => {
  it('opens without an error, a request to another host or a serious finding of axe, in light and in dark', () => checkAll(desktop, ['light', 'dark']));
  it('fits a phone', () => checkAll(phone, ['light']));
  it('fits a phone in Chinese, in dark', () => checkAll({ ...phone, language: 'zh-CN' }, ['dark']));
  it('speaks Chinese', async () => {
    await checkAll({ ...desktop, language: 'zh-CN' }, ['light']);
    const { page, close } = await open(on.browser, on.server.address, { ...desktop, language: 'zh-CN' });
    await visit(page, on.server.address, '/tasks');
    expect(await page.locator('html').getAttribute('lang')).toBe('zh');
    expect(await page.locator('main h1, main h2').first().innerText()).toMatch(/\p{Script=Han}/u);
    await close();
  });
  it('is visited by these tests', () => {
    const features = 'src/features';
    const patterns = readdirSync(features).flatMap((name) => {
      try {
        return [...readFileSync(`${features}/${name}/index.ts`, 'utf8').matchAll(/\{ path: '([^']+)', page/g)].map(([, path]) => path ?? '');
      } catch {
        return [];
      }
    });
    const fits = (pattern: string) => places(on.data).some(({ path }) => new RegExp(`^${pattern.replace(/:[a-z]+/g, '[^/]+')}$`).test(path));
    expect(patterns.length).toBeGreaterThan(5);
    expect(patterns.filter((pattern) => !fits(pattern))).toEqual([]);
  });
});
