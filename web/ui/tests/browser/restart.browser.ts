import { expect, it } from 'vitest';
import en from '@/i18n/en';
import { open, visit } from './browser';
import { ended, runTask } from './data';
import { stage } from './stage';

const on = stage();

it('an open page outlives the server: it polls, then finds the stream again and shows what is new', async () => {
  const { page, complaints, close } = await open(on.browser, on.server.address);
  await visit(page, on.server.address, '/executions');
  const badge = (name: 'stream' | 'poll') => page.getByRole('banner').getByText(en.shell.live[name], { exact: true });
  await badge('stream').waitFor();
  await on.server.kill();
  await badge('poll').waitFor();
  await on.server.run();
  await badge('stream').waitFor();
  const execution = await runTask(on.server, on.data.tasks.reminders);
  await ended(on.server, execution);
  // Without a reload: the row came by the stream.
  await page.locator(`main a[href$="/executions/${execution}"]`).waitFor();
  expect(complaints.filter((line) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_SOCKET_NOT_CONNECTED/.test(line))).toEqual([]);
  await close();
});
