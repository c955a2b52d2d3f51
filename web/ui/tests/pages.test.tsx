import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import i18next from 'i18next';
import { renderToString } from 'react-dom/server';
import type { ReactNode } from 'react';
import { initReactI18next } from 'react-i18next';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Router } from 'wouter';
import type { Execution } from '../src/api/types';
import type { Overview } from '../src/features/overview/queries';
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
  const nodes = { live: 0, draining: 0, silent: 0, cut_off: 0, part_failed: 0, cannot_plan: 0, gone: 0 };
  const empty: Overview = {
    at: '2026-11-26T01:00:00.000000Z', master: null, last_failover: null, last_gap_ms: null, nodes, clients: { live: 0, unreachable: 0, draining: 0 },
    services_without_client: [], paused: [], more_paused: false, tasks: { enabled: 0, disabled: 0, parked: 0 }, counted_to: null, last_hour: {} as Overview['last_hour'],
    last_day: {} as Overview['last_day'], last_month: {} as Overview['last_month'], minutes: [], hours: [],
    open_dead_letters: { count: 0, more: false }, failed_last_hour: { count: 0, more: false }, failing: [], slow: [], due_next: [],
  };
  function known(seen: Overview): QueryClient {
    const client = new QueryClient();
    client.setQueryData(['overview', ''], seen);
    return client;
  }
  it('shows numbers with the lists that they count, and nothing that is empty', async () => {
    const { default: OverviewPage } = await import('../src/features/overview/OverviewPage');
    const calm = shown(known(empty), <OverviewPage />);
    for (const text of ['First steps', 'baton trigger', 'baton agent']) expect(calm).toContain(text);
    for (const text of ['Open dead letters', 'Paused services', 'Due next', 'Failed executions', 'Clients']) expect(calm).not.toContain(text);
    const at = '2026-11-26T00:00:00.000000Z';
    const pause = { of: 'service' as const, firings: 'hold' as const, reason: 'moves', begun_by: 'Ada', begun_at: at, ended_by: '', ended_at: null };
    const busy = shown(known({
      ...empty, master: { node: 'node-a', incarnation: 'node-a:1', epoch: 7, since: at }, last_gap_ms: 1500,
      last_failover: { at } as Overview['last_failover'], nodes: { ...nodes, live: 1, gone: 1 },
      open_dead_letters: { count: 2, more: true },
      services_without_client: [{ project: 'p', service: 'fax', clients: 2 }],
      paused: [{ project: 'p', service: 'mail', pause }], more_paused: true,
      failing: [{ task: '9', project: 'p', name: 'sums', service: 'mail', failures: 2, open: 1, last_at: at, error: 'no disk' }],
      slow: [{ task: '7', project: 'p', name: 'export', service: 'mail', usual_ms: 2100, recent_ms: 9400, since: at }],
      due_next: [{ at, task: '8', project: 'p', name: 'close-day', service: 'mail', execution: null }],
    }), <OverviewPage />);
    for (const text of ['node-a', 'in term 7', '1.5 s', 'Nodes dead', '2+', 'moves', 'mail', 'fax', '2 clients, none', 'and more than these 1:', 'sums', 'no disk', '2 failures', 'close-day', 'usually 2.1 s, the last 10 took 9.4 s']) expect(busy).toContain(text);
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
      ({ id, task: '1', project: 'p', task_name: 'Close', service: 'bills', state: 'succeeded', scheduled_at: at(from), ended_at: at(from + 1), started_at: at(from) }) as unknown as Execution;
    const rows = rowsOf([one('11', 1), one('12', 5)], range, begin);
    const html = shown(new QueryClient(), <Chart rows={rows} range={range} ticks={[begin]} now={begin + hour} />);
    expect(html).toContain('href="/dashboard/executions/11"');
    expect(html).toMatch(/aria-label="Close, succeeded, [^"]*took 1 h 0 min"/);
    expect(html.match(/data-bar="[0-9]+" tabindex="0"/g)).toHaveLength(1);
    expect(html).toContain('2 executions');
  }, slow);
});

describe('the list of clients', () => {
  const client = (instance: string, more: object) => ({
    instance, project: 'p', service: 'mail', address: 'http://127.0.0.1:1', handlers: ['send'], tags: [], slots: 8, queue: 2, version: '1', node: 'n', state: 'up',
    reach: 'reachable', reach_why: null, joined_at: '2026-11-26T00:00:00Z', changed_at: '2026-11-26T00:00:00Z', drained: null, live: null, live_code: 'node_gone', live_why: 'node n counts as gone', ...more,
  });
  it('says in words what the home of a client tells, or why it tells nothing', async () => {
    const { ClientsTable } = await import('../src/features/services/ClientsTable');
    const live = { heard_ms: 2000, answered_ms: 4500, free_slots: 3, in_flight: 5, waiting: 1, clock_offset_ms: null, refused: { path: '/client/v1/results', why: 'status is wrong', ms: 3000 } };
    const clients = [client('a', { live, live_code: null, live_why: null }), client('b', { live_code: 'no_answer' }), client('c', { live_code: 'of_later' })] as unknown as Parameters<typeof ClientsTable>[0]['clients'];
    const html = shown(new QueryClient(), <ClientsTable clients={clients} error={null} />);
    for (const text of ['heard 2 s ago', 'answered a call 4.5 s ago', '3 of 8 slots free', '5 executions with it', '1 waits for it', 'its node n did not answer in time', 'its message to /client/v1/results was refused 3 s ago', 'status is wrong', 'node n counts as gone']) expect(html).toContain(text);
    expect(html).toContain('aria-sort="none"');
    expect(html).toContain('aria-label="Drain a"');
    const drained = { since: '2026-11-26T00:00:00Z', by: 'ann', reason: 'new disk' };
    const rest = [client('a', { drained, live_code: 'older_release' })] as unknown as Parameters<typeof ClientsTable>[0]['clients'];
    const other = shown(new QueryClient(), <ClientsTable clients={rest} error={null} />);
    for (const text of ['drained by a person', 'ann', 'new disk', 'knows no drains by a person', 'aria-label="Resume a"']) expect(other).toContain(text);
  }, slow);
});

describe('how long an execution takes', () => {
  it('counts on while it runs, also for a viewer whose clock is behind', async () => {
    const { Took } = await import('../src/features/executions/Took');
    const since = (ms: number) => ({ started_at: new Date(Date.now() - ms).toISOString(), ended_at: null });
    const text = (one: Parameters<typeof Took>[0]['one']) => shown(new QueryClient(), <Took one={one} />);
    expect(text(since(2 * hour))).toMatch(/(1 h 59|2 h 0) min so far/);
    expect(text(since(-60_000))).toContain('0 ms so far');
    expect(text({ started_at: null, ended_at: null })).toContain('–');
    expect(text({ started_at: '2026-11-26T00:00:00Z', ended_at: '2026-11-26T00:00:02Z' })).toContain('2 s');
  }, slow);
});

describe('times on the page of an execution', () => {
  it('are shown in the zone of the task to those who want that, also within sentences', async () => {
    const { ExactTime, TaskZone } = await import('../src/shared/Times');
    const { Reason } = await import('../src/shared/Reason');
    const { prefer } = await import('../src/shared/preferences');
    vi.stubGlobal('localStorage', { setItem: () => undefined });
    const at = '2026-01-01T00:00:00.000000Z';
    const html = (zone: string | undefined) => shown(new QueryClient(), <TaskZone.Provider value={zone}><ExactTime at={at} /><Reason text={`it waits since ${at}, alone`} /></TaskZone.Provider>);
    prefer({ zone: 'task' });
    expect(html('Asia/Kathmandu').match(/0?5:45:00/g)).toHaveLength(2);
    expect(html(undefined)).not.toContain('5:45:00');
    prefer({ zone: 'viewer' });
    expect(html('Asia/Kathmandu')).not.toContain('5:45:00');
  }, slow);
});

describe('a sentence of the server in Chinese', () => {
  it('has its cause in Chinese, too, if the page knows it', async () => {
    const { Reason } = await import('../src/shared/Reason');
    const { default: zh } = await import('../src/i18n/zh');
    i18next.addResourceBundle('zh', 'server', zh.server);
    await i18next.changeLanguage('zh');
    const of = (cause: string) => shown(new QueryClient(), <Reason text={`node a cannot reach http://10.0.0.7:1: ${cause}; set \`address\` (\`advertise\` of an agent), or let the client fetch`} />);
    expect(of('Connection refused')).toContain(zh.server.refused);
    expect(of('the disk is full')).toContain('the disk is full');
    await i18next.changeLanguage('en');
  }, slow);
});

describe('a refusal', () => {
  it('is told in the language of the page, with what the server says of a pause in it', async () => {
    const { ErrorBox } = await import('../src/shared/ErrorBox');
    const { ProblemError } = await import('../src/api/problem');
    const { speak } = await import('../src/i18n');
    const of = (detail: string) => shown(new QueryClient(), <ErrorBox error={new ProblemError({ status: 409, title: 'Conflict', detail })} />);
    // A document would make this look like a browser, so there is one only while the language changes.
    async function turnTo(language: 'en' | 'zh') {
      vi.stubGlobal('localStorage', { setItem: () => undefined });
      vi.stubGlobal('document', { documentElement: {} });
      await speak(language);
      vi.stubGlobal('document', undefined);
    }
    expect(of('this project is not paused')).toContain('this project is not paused');
    await turnTo('zh');
    expect(of('this project is not paused')).toContain('此项目没有暂停');
    expect(of("service 'fax' is paused: moves; resume it first")).toContain('服务 fax 已暂停：moves；请先恢复');
    expect(of('the disk is full')).toContain('the disk is full');
    await turnTo('en');
    expect(of('this project is not paused')).toContain('this project is not paused');
  }, slow);
});

describe('the settings of a service', () => {
  it('have fields for the defaults, and can be applied to the tasks once they are saved', async () => {
    const { Settings } = await import('../src/features/scopes/Settings');
    const client = new QueryClient();
    const defaults = { priority: 7, rate: { limit: 30, per_ms: 60000 }, context: ['last_success'], misfire: { action: 'skip' } };
    client.setQueryData(['services', 'settings', 'shop', 'mail'], { version: 2, settings: { limits: {}, defaults } });
    const page = shown(client, <Settings scope={{ project: 'shop', service: 'mail' }} />);
    for (const text of ['value="7"', 'value="30"', 'value="60"', 'Starts of attempts of each task']) expect(page).toContain(text);
    expect(page).toMatch(/<button(?![^>]*disabled)[^>]*>(<[^>]*>)*Apply to its tasks/);
  }, slow);
});
