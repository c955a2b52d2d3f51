import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page, type Request } from 'playwright-core';
import config from '../../vite.config';
import { until } from './server';

const executablePath = process.env.BATON_CHROMIUM ?? '/usr/bin/chromium';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Where the pages lie on the server, without a slash at the end. */
export const base = String((config as { base?: string }).base ?? '/').replace(/\/$/, '');

/** The time zone of the viewer. */
export const viewerZone = 'Europe/Berlin';

export const desktop = { viewport: { width: 1280, height: 800 } };
export const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** `scrollbars`: with those that take room from the page, which a browser without a window hides otherwise. */
export function launch({ scrollbars = false } = {}): Promise<Browser> {
  return chromium.launch({ executablePath, ignoreDefaultArgs: scrollbars ? ['--hide-scrollbars'] : [], args: ['--disable-gpu', '--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb'] });
}

/** The requests of each page to the API that are not answered yet, without the stream of events. */
const unanswered = new WeakMap<Page, Set<Request>>();

function follow(page: Page) {
  const requests = new Set<Request>();
  unanswered.set(page, requests);
  page.on('request', (request) => { if (/\/api\/(?!v1\/events)/.test(request.url())) requests.add(request); });
  // The browser does not always report the end of a request whose document is gone.
  page.on('response', (answer) => { if (answer.request().isNavigationRequest() && answer.frame() === page.mainFrame()) requests.clear(); });
  page.on('requestfinished', (request) => requests.delete(request));
  page.on('requestfailed', (request) => requests.delete(request));
}

/** A page with a record of what it must not do: errors in its console, and requests to another host. */
export interface Watched {
  page: Page;
  complaints: string[];
  close: () => Promise<void>;
}

export async function open(browser: Browser, address: string, options: BrowserContextOptions & { language?: string } = {}): Promise<Watched> {
  const { language = 'en', ...more } = options;
  const context: BrowserContext = await browser.newContext({ ...desktop, locale: language, timezoneId: viewerZone, reducedMotion: 'reduce', ...more });
  const page = await context.newPage();
  follow(page);
  const complaints: string[] = [];
  page.on('console', (line) => { if (line.type() === 'error') complaints.push(`console: ${line.text()} (${line.location().url})`); });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => { if (!request.url().startsWith(`${address}/`)) complaints.push(`request: ${request.url()}`); });
  return { page, complaints, close: () => context.close() };
}

/** Goes to a page and waits until it shows its own content. */
export async function visit(page: Page, address: string, path: string): Promise<void> {
  await page.goto(`${address}${base}${path}`);
  await shown(page);
}

/** Nothing is loading any more: a heading is there, no place holder, and no answer that leads to a further request. */
export async function shown(page: Page): Promise<void> {
  await page.locator('main h1, main h2').first().waitFor();
  const quiet = () => page.evaluate(() => new Promise<boolean>((resolve) => {
    const look = () => resolve(!document.querySelector('main .mantine-Skeleton-root, main [data-loading]'));
    requestAnimationFrame(() => requestAnimationFrame(look));
  }));
  const none = () => unanswered.get(page)?.size === 0;
  const waitsFor = () => [...(unanswered.get(page) ?? [])].map((request) => `${request.method()} ${request.url()}`).join(', ') || 'a place holder';
  await until(() => `the page shows all that it asked for; it waits for ${waitsFor()}`, async () => none() && (await quiet()) && none());
}

export interface Finding { id: string; impact: string; nodes: string[] }

/** The findings of axe that are serious or critical, for WCAG 2.2 AA and best practice. */
export async function accessibility(page: Page): Promise<Finding[]> {
  // By the debugger, as the Content-Security-Policy admits no script that is put into the page.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const found = await (window as unknown as { axe: { run: (where: Document, how: object) => Promise<{ violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] }> } }).axe
      .run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }); // axe leaves out this rule of WCAG 2.2 unless it is asked for
    return found.violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary}`.slice(0, 400)) }));
  });
}

/** How many pixels of the page stand out of the window at its right. The width of the window of a phone grows with its page. */
export async function overhang(page: Page): Promise<number> {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  return wide - (page.viewportSize()?.width ?? wide);
}
