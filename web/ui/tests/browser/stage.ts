import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { launch, open, type Watched } from './browser';
import { type Data, fill } from './data';
import { Server } from './server';

/** The server of a file of tests, with tasks and what they did, and its browser. They are there while a test runs. */
export interface Stage {
  server: Server;
  browser: Browser;
  data: Data;
}

export function stage(): Stage {
  const made = {} as Stage;
  beforeAll(async () => {
    [made.server, made.browser] = await Promise.all([Server.start(), launch()]);
    made.data = await fill(made.server);
  });
  afterAll(async () => {
    await made.browser?.close();
    await made.server?.end();
  });
  return made;
}

/** A page for each test, which must not complain. */
export function watchedPage(on: Stage): Watched {
  const made = {} as Watched;
  beforeEach(async () => {
    Object.assign(made, await open(on.browser, on.server.address));
  });
  afterEach(async () => {
    expect(made.complaints).toEqual([]);
    await made.close();
  });
  return made;
}
