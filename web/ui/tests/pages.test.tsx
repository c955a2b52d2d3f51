import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import i18next from 'i18next';
import { renderToString } from 'react-dom/server';
import type { ReactNode } from 'react';
import { initReactI18next } from 'react-i18next';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Router } from 'wouter';
import type { Execution } from '../src/api/types';
import en from '../src/i18n/en';

const begin = Date.UTC(2026, 10, 26);
// On a busy machine the first import of a page takes long.
const slow = 60000;
const hour = 3600000;

function shown(client: QueryClient, page: ReactNode): string {
  return renderToString(
    <MantineProvider>
      <QueryClientProvider client={client}><Router ssrPath="/" base="/dashboard">{page}</Router></QueryClientProvider>
    </MantineProvider>,
  ).replaceAll('<!-- -->', '');
}

beforeAll(async () => {
  vi.stubGlobal('window', { location: { origin: 'http://127.0.0.1' } });
  await i18next.use(initReactI18next).init({ lng: 'en', fallbackLng: false, defaultNS: 'shared', resources: { en }, interpolation: { escapeValue: false } });
});

describe('the overview', () => {
  const empty = { items: [], more: false };
  function known(): QueryClient {
    const client = new QueryClient();
    client.setQueryData(['nodes'], { items: [], lease: null, last_gap_ms: null, last_failover: null });
    client.setQueryData(['clients'], { items: [] });
    client.setQueryData(['services', 'all', ''], empty);
    client.setQueryData(['dead_letters', 'count', ''], empty);
    client.setQueryData(['dead_letters', 'failed_executions', ''], { ...empty, from: '2026-11-26T00:00:00Z' });
    client.setQueryData(['tasks', 'coming', ''], { tasks: 0, firings: [] });
    return client;
  }
  it('shows numbers with the lists that they count, and nothing that is empty', async () => {
    const { default: OverviewPage } = await import('../src/features/overview/OverviewPage');
    const client = known();
    const calm = shown(client, <OverviewPage />);
    for (const text of ['First steps', 'baton trigger', 'baton agent']) expect(calm).toContain(text);
    for (const text of ['Open dead letters', 'Paused services', 'Due next', 'Failed executions', 'Clients']) expect(calm).not.toContain(text);
    const node = { name: 'node-a', master: true, alive: true, silent: false, draining: false, cannot_plan: null };
    const letter = { task: '9', task_name: 'sums', project: 'p', error: 'no disk', died_at: '2026-11-26T00:00:00.000000Z' };
    const failover = { at: '2026-11-26T00:00:00.000000Z' };
    client.setQueryData(['nodes'], { items: [node, { ...node, name: 'node-b', master: false, alive: false }], lease: { epoch: 7 }, last_gap_ms: 1500, last_failover: failover });
    client.setQueryData(['dead_letters', 'count', ''], { items: [letter, letter], more: true });
    client.setQueryData(['services', 'all', ''], { items: [{ project: 'p', service: 'mail', paused: { reason: 'moves', begun_by: 'Ada', begun_at: failover.at } }], more: false });
    client.setQueryData(['tasks', 'coming', ''], { tasks: 1, firings: [{ task: '9', name: 'close-day', project: 'p', at: failover.at }] });
    const busy = shown(client, <OverviewPage />);
    for (const text of ['node-a', 'in term 7', '1.5 s', 'Nodes dead', '2+', 'moves', 'mail', 'sums', 'no disk', '2 failures', 'close-day']) expect(busy).toContain(text);
    for (const to of ['/nodes?condition=gone', '/dead-letters', '/services?only=paused', '/services?only=unserved']) expect(busy).toContain(`href="/dashboard${to}"`);
  }, slow);
});

describe('the chart of a day', () => {
  it('has a link with its times for each execution, of which Tab reaches one', async () => {
    const { Chart } = await import('../src/features/day/Chart');
    const { rowsOf } = await import('../src/features/day/bars');
    const range = { begin, end: begin + 24 * hour };
    const at = (hours: number) => new Date(begin + hours * hour).toISOString();
    const one = (id: string, from: number) =>
      ({ id, task: '1', project: 'p', task_name: 'Close', state: 'succeeded', scheduled_at: at(from), ended_at: at(from + 1), first_attempt: { started_at: at(from) } }) as unknown as Execution;
    const rows = rowsOf([one('11', 1), one('12', 5)], new Map([['1', 'bills']]), range, begin);
    const html = shown(new QueryClient(), <Chart rows={rows} range={range} ticks={[begin]} now={begin + hour} />);
    expect(html).toContain('href="/dashboard/executions/11"');
    expect(html).toMatch(/aria-label="Close, succeeded, [^"]*took 1 h 0 min"/);
    expect(html.match(/data-bar="[0-9]+" tabindex="0"/g)).toHaveLength(1);
    expect(html).toContain('2 executions');
  }, slow);
});
