import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import en from '../src/i18n/en/problems';
import { cppSource, isSentence, textsFrom, textsIn } from './cpp_texts';

const folders = ['web', 'web/api', 'web/events', 'libs/protocol', 'libs/schedule', 'libs/storage', 'libs/http'];
// What speaks with nodes and clients, with a person at a terminal, or in a configuration.
const elsewhere = [
  'libs/protocol/handler_schemas', 'libs/protocol/wire_json', 'libs/schedule/crontab', 'libs/storage/clients_write', 'libs/storage/dialect', 'libs/storage/location', 'libs/http/render', 'libs/http/server', 'libs/http/url',
];
// The page sends whole JSON, uncompressed, and plain header fields; a database in this state is met by its word "database: " alone.
const never = ['not JSON: ', ' is not JSON', 'not a valid name of a header field', 'a header field cannot hold control characters', 'the body is compressed (Content-Encoding: ', '): send it uncompressed', "database: unknown state of a client '", 'database: another migration is running'];

// Their functions return sentences, or parts of them.
const composing = ['web/served.cpp', 'web/task_defaults.cpp', 'libs/protocol/policy_notes.cpp', 'libs/schedule/clock_notes.cpp', 'libs/schedule/cron_field.cpp', 'libs/schedule/skips.cpp'];

const refusal = /\b(?:invalid_input|refused|refuse\w*|fail|refusal_of|already_exists|overloaded|unavailable|problem|named|expect_given)\(|return \{4\d\d,/g;

function refusalsIn(path: string): string[] {
  const source = cppSource(path);
  return composing.includes(path) ? textsFrom(source, 0) : textsIn(source, refusal);
}

it('the sentences in which the server refuses something are those of the catalogue', () => {
  const pieces = Object.values(en).flatMap((texts) => Object.values(texts)).flatMap((text: string) => text.split(/\{\{\w+\}\}/));
  // A name may stand where the catalogue has a value.
  const partsOf = (text: string) => [text.replace(/^\S+/, ''), text.replace(/\S+$/, '')].map((part) => part.trim()).filter((part) => part.length > 10);
  const isKnown = (text: string) => [text.trim(), ...partsOf(text)].some((part) => pieces.some((piece) => piece.includes(part)));
  const files = folders.flatMap((folder) => readdirSync(`../../${folder}`).filter((name) => /\.[ch]pp$/.test(name)).map((name) => `${folder}/${name}`));
  const unknown = files.filter((file) => !elsewhere.includes(file.replace(/\.[ch]pp$/, '')))
    .flatMap((file) => refusalsIn(file).filter((text) => isSentence(text) && !never.includes(text) && !isKnown(text)).map((text) => `${file}: ${text}`));
  expect(unknown, 'say them in src/i18n/{en,zh}/problems, with an example in tests/problems.txt').toEqual([]);
  expect(files.flatMap((file) => refusalsIn(file)).length).toBeGreaterThan(250);
});
