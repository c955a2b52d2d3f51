import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sentences } from '../src/shared/server_sentences';
import { cppSource, isSentence, textsFrom } from './cpp_texts';

// The sources of the reasons of executions, attempts, clients, tasks and terms.
const folders = ['trigger/master', 'trigger/delivery', 'trigger/clients', 'trigger/election'];
const files = [
  'agent/account.cpp', 'agent/command.cpp', 'agent/launch.cpp', 'client-sdk/src/engine.cpp', 'client-sdk/src/job.cpp', 'client-sdk/src/result_sender.cpp', 'client-sdk/src/worker_pool.cpp', 'libs/http/client.cpp', 'libs/http/pool.cpp',
  'libs/protocol/blocker.hpp', 'libs/protocol/firing_skips.cpp', 'libs/protocol/outcome.cpp', 'libs/protocol/outcome.hpp', 'libs/protocol/pause.cpp', 'libs/schedule/misfire.cpp',
  'libs/storage/ledger_attempts.cpp', 'libs/storage/ledger_record.cpp', 'libs/storage/ledger_stopped.cpp', 'libs/storage/ledger_unresponsive.cpp', 'libs/storage/skipped.cpp', 'libs/storage/task_editing.cpp', 'trigger/term_runner.cpp', 'web/waiting.cpp',
];
// Texts of logs, refusals and traces, and names of parts of the program.
const elsewhere = /\b(?:log::\w+|invalid_input|overloaded|unavailable|require|http::problem|spawn|supervised|every|named|parts_\.add\w*|revision_error|arm|report|bury|drop_all|headers\.set|hex|snprintf|check_name)\(/g;
// Causes for which an execution is delivered again, which stay between the nodes; why a handler is not waited for any more, for the log; a value in a
// result; what is signed; names of steps, for the log; and the choices of an election and of the guard, for their trace and the log.
const inside = [
  'its client has another home', 'the message to its client is never repeated', 'no client of this node has room', 'the clients of this node are slow', 'its client has given it back', 'its node stops, and the client cannot be called', 'its node stops, and the client does not answer', 'its delivery was not answered for long',
  'the assignment to a slave', 'a question about earlier attempts', 'a question about unresponsive handlers', 'a question about unreported runs',
  'its client had taken it and does not run it any more', 'its poll is not higher than that of an earlier request', 'it sends a request while an earlier one is held',
  'the message cannot be written with ids as text: ', 'its client is gone', 'its handler has returned', 'a person released it', '{"dropped":"the result was longer than 64 KiB"}', 'baton receiptn',
  'the lease is ours', 'a seizure whose answer was lost', 'the lease is free', 'the holder renewed in time', "expired by the database's clock, not yet by our own", 'the lease has expired', "the master's session has ended", 'the lock is not held any more',
];

/** The source without the calls whose beginnings the pattern finds. */
function without(source: string, pattern: RegExp): string {
  let left = '';
  let behind = 0;
  for (const call of source.matchAll(pattern)) {
    if (call.index < behind) continue;
    left += source.slice(behind, call.index);
    behind = endOf(source, call.index + call[0].length);
  }
  return left + source.slice(behind);
}

function endOf(source: string, begin: number): number {
  const step = /"(?:[^"\\]|\\.)*"|[()]|[^"()]+/sy;
  for (let at = begin, depth = 1; at < source.length; at = step.lastIndex) {
    step.lastIndex = at;
    const part = step.exec(source)?.[0];
    depth += part === '(' ? 1 : part === ')' ? -1 : 0;
    if (depth === 0 || part === undefined) return at + 1;
  }
  return source.length;
}

// Statements of SQL may hold a reason between quotation marks.
const isSql = (text: string) => /\b[A-Z]{2,}\b(?! request)|\w = $|^[a-z]+\.[a-z_]+|^[a-z_]+ = /.test(text);
const spoken = (text: string) => (isSql(text) && !text.includes('HTTP') ? [...text.matchAll(/'([^']+ [^']+)'/g)].map(([, inner = '']) => inner) : [text]);

/** The fixed texts between the values of a pattern. */
function piecesOf(pattern: RegExp): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const [part] of pattern.source.matchAll(/\\.|\[[^\]]*\]|./g)) {
    if (part === '(') depth += 1;
    if (depth === 0 && !/^[\^$?+*[]/.test(part) && !/^\\[a-zA-Z]$/.test(part)) parts.push((parts.pop() ?? '') + part.replace(/^\\/, ''));
    else if (parts.at(-1) !== '') parts.push('');
    if (part === ')') depth -= 1;
  }
  return [...parts, ...[...pattern.source.matchAll(/\(\??:?(?:<\w+>)?([^()]+)\)/g)].flatMap(([, inner = '']) => inner.split('|').map((one) => one.replace(/\\(\W)/g, '$1')))];
}

it('the reasons that the server gives are sentences that the page knows', () => {
  const pieces = sentences.flatMap(([, pattern]) => piecesOf(pattern)).filter((piece) => piece.length > 3);
  const isKnown = (text: string) => pieces.some((piece) => piece.includes(text.trim()) || piece.includes(text.replace(/^[^a-z]+|[^a-z)]+$/g, '').trim()));
  const all = [...files, ...folders.flatMap((folder) => readdirSync(`../../${folder}`).filter((name) => /\.[ch]pp$/.test(name) && !/^(?:settings|register_check)/.test(name)).map((name) => `${folder}/${name}`))];
  const found = all.flatMap((file) => textsFrom(without(cppSource(file), elsewhere), 0).flatMap(spoken).filter(isSentence).map((text) => ({ file, text })));
  const unknown = found.filter(({ text }) => !inside.includes(text) && !isKnown(text)).map(({ file, text }) => `${file}: ${text}`);
  expect(unknown, 'say them in src/shared/server_sentences.ts and src/i18n/{en,zh}/server.json').toEqual([]);
  expect(found.length).toBeGreaterThan(90);
});
