import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import en from '../src/i18n/en';
import zh from '../src/i18n/zh';
import { isPause, sentenceOf, subjectOf } from '../src/shared/server_words';
import { exact } from '../src/shared/time';

const at = '2026-11-26T09:30:00.000000Z';

// What the server writes, the place of its words, and a part of them as it stands there.
const said: [string, string, string, string][] = [
  ['as many executions of its task as may be under way at a time are', 'task_concurrency', 'libs/protocol/blocker.hpp', 'as many executions of its task as may be under way at a time are'],
  [`as many executions of its project as may be under way at a time are; it waits since ${at}`, 'project_concurrency', 'web/waiting.cpp', '; it waits since '],
  ['the rate limit of its service is reached', 'service_rate', 'libs/protocol/blocker.hpp', 'the rate limit of its service is reached'],
  ['no master', 'no_master', 'web/waiting.cpp', '"no master"'],
  ['no client of service fax', 'no_client', 'web/waiting.cpp', 'no client of service '],
  ['no client of fax serves handler send', 'no_handler', 'web/waiting.cpp', ' serves handler '],
  ['no client of fax that serves send has the tag gpu', 'no_tag', 'web/waiting.cpp', ' has the tag '],
  ['no client of fax has the name mars', 'no_name', 'web/waiting.cpp', ' has the name '],
  ['the clients of fax are drained by a person', 'drained', 'web/waiting.cpp', ' are drained by a person'],
  ['clients of fax cannot be reached', 'unreachable', 'web/waiting.cpp', ' cannot be reached'],
  ['fax has no free slot', 'no_slot', 'web/waiting.cpp', ' has no free slot'],
  ['waits at client host:1:aa, where execution 3 runs', 'runs_there', 'web/waiting.cpp', ', where execution '],
  ['is with client host:1:aa, which has not reported that it began', 'not_reported', 'web/waiting.cpp', ', which has not reported that it began'],
  ['node trigger-1:4:bb delivers it to a client', 'at_node', 'web/waiting.cpp', ' delivers it to a client'],
  ['a client may already have it; the clients are being asked', 'asked', 'web/waiting.cpp', 'a client may already have it'],
  [`waits for retry at ${at}: no disk`, 'retry_because', 'web/waiting.cpp', 'waits for retry at '],
  ["service 'default/fax' is paused: moves (by ann)", 'service_paused', 'libs/protocol/pause.cpp', "' is paused: "],
  ['no client took it within 5000 ms (start_within)', 'not_taken', 'trigger/master/limit_rules.cpp', ' ms (start_within)'],
  ['it did not end within 5000 ms (total)', 'not_ended', 'trigger/master/limit_rules.cpp', 'it did not end within '],
  ['its client stopped while it was running', 'stopped', 'trigger/master/completions.cpp', 'its client stopped while it was running'],
  ['its client stopped 20 times while it was running', 'stopped_often', 'libs/protocol/outcome.cpp', ' times while it was running'],
  ['its client died 3 times while it may have been running', 'died_often', 'libs/protocol/outcome.cpp', ' while it may have been running'],
  ['it may begin at most once, and it is not known whether its handler began', 'perhaps_begun', 'libs/protocol/outcome.hpp', 'it may begin at most once'],
  ['superseded by version 3', 'superseded', 'libs/storage/task_editing.cpp', 'superseded by version '],
  ['cancelled on request', 'cancelled', 'trigger/master/attempts.hpp', 'cancelled on request'],
  ['a newer execution took its place', 'replaced', 'trigger/master/admission_places.hpp', 'a newer execution took its place'],
  ['over 1 min late; misfire policy fire_once: a later firing runs instead', 'later_runs', 'libs/schedule/misfire.cpp', ': a later firing runs instead'],
  ['over 1 min late; misfire policy fire_all: only the latest 5 run, of the last 1 h', 'latest_run_of', 'libs/schedule/misfire.cpp', ': only the latest '],
  ['over 1 min late; misfire policy skip', 'late', 'libs/schedule/misfire.cpp', ' late; misfire policy '],
  ['skipped on request of ann: maintenance', 'skipped_of_because', 'libs/protocol/firing_skips.cpp', 'skipped on request'],
  ['exit status 3', 'exit', 'agent/command.cpp', 'exit status '],
  ['node a cannot reach http://10.0.0.7:1: connection refused; the client is asked to register with node b', 'reach_next', 'trigger/delivery/reachability.cpp', '; the client is asked to register with node '],
  ['node a cannot reach http://10.0.0.7:1: timed out; set `address` (`advertise` of an agent), or let the client fetch', 'reach', 'trigger/delivery/reachability.cpp', '; set `address` (`advertise` of an agent), or let the client fetch'],
  ['given up: take_over', 'given_up_take_over', 'libs/storage/ledger_attempts.cpp', '"given up: "'],
  [`given up: client_gone; mars had it since ${at}`, 'given_up_had', 'libs/storage/ledger_attempts.cpp', 'had it since '],
  ['connection timed out', 'timed_out', 'libs/http/pool.cpp', ': connection timed out'],
  ['cannot resolve mars: Host not found', 'unresolved', 'libs/http/pool.cpp', '"cannot resolve "'],
  ['as many executions as may be under way at a time (1) were', 'full', 'trigger/master/admissions.cpp', ') were'],
  ['as many executions as may be under way at a time (1) were, and as many as may wait (5) did', 'full_line', 'trigger/master/admissions.cpp', ', and as many as may wait ('],
  ["service 's' has as many open executions as it may have", 'service_full', 'trigger/master/quota.cpp', "' has as many open executions as it may have"],
  ["clients have not taken the 50 executions that service 'dead' may have open", 'parked', 'trigger/master/parked_tasks.cpp', "' may have open"],
  ['ran 600 ms of at most 500', 'ran', 'client-sdk/src/engine.cpp', ' ms of at most '],
  ['ran 600 ms of at most 500: first line\nsecond line', 'ran_because', 'client-sdk/src/engine.cpp', '"ran "'],
  ['the handler did not return within 5000 ms after the request to cancel', 'no_return_cancel', 'trigger/master/deadlines.cpp', ' ms after the request to cancel'],
  ['the handler did not return within 5000 ms after its timeout of 10000 ms', 'no_return_timeout', 'trigger/master/deadlines.cpp', ' ms after its timeout of '],
  ["gave up; the handler's value of 70000 bytes was dropped: the limit is 65536", 'value_dropped_after', 'client-sdk/src/job.cpp', ' bytes was dropped: the limit is '],
  ['the result of 70000 bytes was too long to keep. exit status 1', 'result_too_long', 'libs/storage/ledger_record.cpp', ' bytes was too long to keep. '],
  ['killed by signal 9 (Killed)', 'killed', 'agent/command.cpp', 'killed by signal '],
  ['cannot be started: /no/such/program: No such file or directory', 'cannot_start', 'agent/command.cpp', 'cannot be started: '],
  ["cannot be started: becoming user 'ann': Operation not permitted", 'cannot_start_user', 'agent/launch.cpp', "becoming user '"],
  ['cannot be started: folder /srv/a b: Permission denied', 'cannot_start_folder', 'agent/launch.cpp', '"folder "'],
  ["cannot be started: user 'ann' does not exist", 'cannot_start_no_user', 'agent/account.cpp', "' does not exist"],
  ['cannot be started: no pipe: Too many open files', 'cannot_start_resource', 'agent/launch.cpp', '"no pipe"'],
  ['node a has calls for the client, which fetches them: it has ceased to fetch; the client is asked to register with node b', 'fetch_next', 'trigger/delivery/reachability.cpp', ' has calls for the client, which fetches them: '],
  ['node a has calls for the client, which fetches them: it has ceased to fetch', 'fetch', 'trigger/clients/fetch_line.cpp', 'it has ceased to fetch'],
  ['cannot connect to mars:7: all 200 connections are in use', 'cannot_connect', 'libs/http/pool.cpp', ' connections are in use'],
  ['no client of this protocol answers there (status 404)', 'not_a_client', 'trigger/clients/address_proof.cpp', 'no client of this protocol answers there (status '],
  ['planning failed: the disk is full', 'planning_failed', 'trigger/master/planner.cpp', 'planning failed: '],
  ['the lock row knows epoch 7', 'epoch_known', 'trigger/election/elector.cpp', ' knows epoch '],
  ['its duty failed: the disk is full', 'duty_failed', 'trigger/term_runner.cpp', 'its duty failed: '],
  ['the lease had expired before it was renewed', 'lease_late', 'trigger/election/decide.cpp', 'the lease had expired before it was renewed'],
];

describe('sentences of the server', () => {
  it('are known as the server writes them', () => {
    for (const [text, key, file, words] of said) {
      expect(sentenceOf(text)?.key, text).toBe(key);
      expect(readFileSync(`../../${file}`, 'utf8'), `${file} says it otherwise now`).toContain(words);
    }
    expect(sentenceOf('the disk is full')).toBeUndefined();
  });
  it('keep their values in each language', () => {
    const valuesOf = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).sort();
    for (const key of Object.keys(en.server) as (keyof typeof en.server)[]) expect(valuesOf(zh.server[key]), key).toEqual(valuesOf(en.server[key]));
    expect(valuesOf(en.server.no_name)).toEqual(Object.keys(sentenceOf('no client of fax has the name mars')?.values ?? {}).sort());
    expect(sentenceOf('no client of fax serves handler send')?.values).toEqual({ service: 'fax', handler: 'send' });
  });
});

describe('a time in Chinese', () => {
  it('has its zone at the end, as people write it', () => {
    expect(exact(at, 'Asia/Shanghai', 'zh')).toBe('2026年11月26日 17:30:00 GMT+8');
    expect(exact(at, 'UTC', 'en')).toBe('Nov 26, 2026, 09:30:00 UTC');
  });
});

describe('the subject of a sentence', () => {
  it('is the service or the project that keeps an execution back', () => {
    expect(subjectOf('no client of service fax', 'default')).toEqual({ project: 'default', service: 'fax' });
    expect(subjectOf("service 'shop/fax' is paused: moves", 'shop')).toEqual({ project: 'shop', service: 'fax' });
    expect(subjectOf("project 'shop' is paused: moves", 'shop')).toEqual({ project: 'shop', service: null });
    expect(subjectOf('exit status 3', 'shop')).toBeUndefined();
    expect([isPause("project 'shop' is paused: moves"), isPause('no master')]).toEqual([true, false]);
  });
});
