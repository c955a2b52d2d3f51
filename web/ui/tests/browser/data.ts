import { type Server, until } from './server';

interface Task { id: string }
interface Execution { id: string; state: string }

/** What a test needs to find, by name. */
export interface Data {
  tasks: Record<'invoices' | 'balance' | 'reminders' | 'archive', string>;
  failed: string;
  calendar: string;
}

function task(server: Server, name: string, more: object): Promise<Task> {
  return server.post<Task>('/api/v1/tasks', { name, service: 'billing', ...more });
}

export async function runTask(server: Server, id: string): Promise<string> {
  return (await server.post<{ execution: string }>(`/api/v1/tasks/${id}/run`, {})).execution;
}

export async function ended(server: Server, execution: string): Promise<Execution> {
  return until(`execution ${execution} has ended`, async () => {
    const one = await server.get<Execution & { ended_at: string | null }>(`/api/v1/executions/${execution}`);
    return one.ended_at ? one : undefined;
  });
}

/** Tasks that run again and again, until the overview has counted some minutes of them: what a person sees who comes back. */
export async function keepBusy(server: Server, data: Data): Promise<void> {
  for (const [name, seconds] of [['sync stock', 2], ['renew rates', 5], ['send mail', 3]] as const) {
    await task(server, name, { handler: 'echo', schedule: { kind: 'fixed_rate', every_ms: seconds * 1000 }, owner: 'shop team' });
  }
  await task(server, 'export report', { handler: 'fail', schedule: { kind: 'fixed_rate', every_ms: 20_000 }, owner: 'ledger team' });
  for (let n = 0; n < 30; ++n) await ended(server, await runTask(server, data.tasks.invoices));
  await until('some minutes are counted', async () => (await server.get<{ minutes: object[] }>('/api/v1/overview')).minutes.length > 4 || undefined, 360_000);
}

/** Tasks of several kinds, what they did, a calendar, and limits: no page is empty. */
export async function fill(server: Server): Promise<Data> {
  const calendar = await server.post('/api/v1/calendars', {
    name: 'bank-holidays', description: 'Days on which the bank is closed', zone: 'America/New_York', dates: ['2026-12-25', '2027-01-01'], weekly: [{ days: ['sat', 'sun'] }],
  });
  const invoices = await task(server, 'send invoices', {
    handler: 'echo', schedule: { kind: 'cron', cron: '30 9 * * MON-FRI', zone: 'America/New_York' }, payload: { customer: 'ACME', copies: 2 },
    owner: 'billing team', labels: { team: 'billing', env: 'production' }, description: 'One invoice for each order of the day before',
  });
  const balance = await task(server, 'close the day', { handler: 'fail', schedule: { kind: 'api' }, owner: 'ledger team' });
  const reminders = await task(server, 'remind of open bills', { handler: 'echo', schedule: { kind: 'fixed_rate', every_ms: 600_000 }, labels: { team: 'billing' } });
  const archive = await task(server, 'archive old bills', { handler: 'long', schedule: { kind: 'api' }, concurrency: { limit: 1 } });
  const runs = [];
  for (const id of [invoices.id, reminders.id, invoices.id]) runs.push(await runTask(server, id));
  const failed = await runTask(server, balance.id);
  for (const execution of [...runs, failed]) await ended(server, execution);
  await server.call('PUT', '/api/v1/projects/default/settings', { limits: { concurrency: 100 } });
  return { tasks: { invoices: invoices.id, balance: balance.id, reminders: reminders.id, archive: archive.id }, failed, calendar: calendar.id };
}
