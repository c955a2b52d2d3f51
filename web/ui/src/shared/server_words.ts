import { useTranslation } from 'react-i18next';
import type en from '@/i18n/en';
import { useDuration } from './Times';

type Key = keyof (typeof en)['server'];

// Sentences of the server that have no code. A group of a pattern is a value of the text; `ms` is shown as a length of time.
const sentences: [Key, RegExp][] = [
  ['task_concurrency', /^as many executions of its task as may be under way at a time are(?<since>; it waits.*)?$/],
  ['service_concurrency', /^as many executions of its service as may be under way at a time are(?<since>; it waits.*)?$/],
  ['project_concurrency', /^as many executions of its project as may be under way at a time are(?<since>; it waits.*)?$/],
  ['task_rate', /^the rate limit of its task is reached(?<since>; it waits.*)?$/],
  ['service_rate', /^the rate limit of its service is reached(?<since>; it waits.*)?$/],
  ['project_rate', /^the rate limit of its project is reached(?<since>; it waits.*)?$/],
  ['handler_runs', /^a handler of its task has not returned, though its execution has ended \(baton executions release\)$/],
  ['no_master', /^no master$/],
  ['no_client', /^no client of service (?<service>.+)$/],
  ['no_handler', /^no client of (?<service>.+) serves handler (?<handler>.+)$/],
  ['no_tag', /^no client of (?<service>.+) that serves (?<handler>.+) has the tag (?<tag>.+)$/],
  ['no_name', /^no client of (?<service>.+) has the name (?<name>.+)$/],
  ['drained', /^the clients of (?<service>.+) are drained by a person$/],
  ['stopping', /^the clients of (?<service>.+) are stopping$/],
  ['unreachable', /^clients of (?<service>.+) cannot be reached$/],
  ['its_client_full', /^its client of (?<service>.+) takes no more$/],
  ['no_slot', /^(?<service>.+) has no free slot$/],
  ['service_paused', /^service '(?<service>.+)' is paused: (?<why>.*)$/],
  ['project_paused', /^project '(?<project>.+)' is paused: (?<why>.*)$/],
  ['retry_because', /^waits for retry at (?<at>\S+): (?<error>.*)$/],
  ['retry', /^waits for retry at (?<at>\S+)$/],
  ['not_taken', /^no client took it within (?<ms>\d+) ms \(start_within\)$/],
  ['not_ended', /^it did not end within (?<ms>\d+) ms \(total\)$/],
  ['died', /^its client died once while it may have been running$/],
  ['died_often', /^its client died (?<n>\d+) times while it may have been running$/],
  ['task_deleted', /^task deleted$/],
  ['task_disabled', /^task disabled$/],
  ['superseded', /^superseded by version (?<version>\d+)$/],
  ['cancelled', /^cancelled on request$/],
  ['cancelled_early', /^cancelled before it started$/],
  ['replaced', /^a newer execution took its place$/],
  ['later_runs', /^over (?<after>.+) late; misfire policy fire_once: a later firing runs instead$/],
  ['latest_run', /^over (?<after>.+) late; misfire policy fire_all: only the latest (?<n>\d+) run$/],
  ['latest_run_of', /^over (?<after>.+) late; misfire policy fire_all: only the latest (?<n>\d+) run, of the last (?<within>.+)$/],
  ['late', /^over (?<after>.+) late; misfire policy skip$/],
  ['skipped', /^skipped on request$/],
  ['skipped_because', /^skipped on request: (?<why>.*)$/],
  ['skipped_of', /^skipped on request of (?<by>[^:]+)$/],
  ['skipped_of_because', /^skipped on request of (?<by>[^:]+): (?<why>.*)$/],
  ['given_up_take_over', /^given up: take_over$/],
  ['given_up_client', /^given up: client_gone$/],
  ['given_up_node', /^given up: node_gone$/],
  ['given_up_had', /^given up: (?:take_over|client_gone|node_gone); (?<client>.+) had it since (?<at>\S+)$/],
  ['exit', /^exit status (?<status>-?\d+)$/],
  ['reach_next', /^node (?<node>.+) cannot reach (?<address>\S+): (?<cause>.*); the client is asked to register with node (?<next>.+)$/],
  ['reach', /^node (?<node>.+) cannot reach (?<address>\S+): (?<cause>.*); set `address`, or let the client fetch$/],
  ['timed_out', /^connection timed out$/],
  ['refused', /^Connection refused$/],
  ['no_route', /^(?:No route to host|Network is unreachable)$/],
  ['unresolved', /^cannot resolve (?<host>.+): .+$/],
  ['lease_late', /^the lease had expired before it was renewed$/],
  ['lease_lost', /^the lease expired, or another node took it, just before it was renewed$/],
  ['lease_taken', /^another node seized or renewed the lease first$/],
  ['lease_released', /^released the lease$/],
];

// The page has its own words for these in English, too: they are read most often, and should be the same in both languages.
const reworded = /_concurrency$|_rate$|_paused$|^given_up/;

export function isPause(text: string): boolean {
  return sentenceOf(text)?.key.endsWith('_paused') ?? false;
}

const ofService = ['no_client', 'no_handler', 'no_tag', 'no_name', 'drained', 'stopping', 'unreachable', 'its_client_full', 'no_slot', 'service_paused'];

/** The service or the project that a sentence speaks of, in a project that is known; undefined for other sentences. */
export function subjectOf(text: string, project: string): { project: string; service: string | null } | undefined {
  const found = sentenceOf(text);
  if (found?.key === 'project_paused') return { project: found.values.project ?? project, service: null };
  if (!found || !ofService.includes(found.key)) return undefined;
  // The server puts the project before the name, unless it is the default one.
  const name = found.values.service ?? '';
  return { project, service: name.startsWith(`${project}/`) ? name.slice(project.length + 1) : name };
}

/** Which sentence of the server a text is, with what stands in it; undefined for another text. */
export function sentenceOf(text: string): { key: Key; values: Record<string, string> } | undefined {
  for (const [key, pattern] of sentences) {
    const found = pattern.exec(text);
    if (found) return { key, values: { ...found.groups } };
  }
  return undefined;
}

/** A sentence of the server in the language of the page; one that is not known stays as it is. */
export function useServerWords(): (text: string) => string {
  const { t, i18n } = useTranslation('server');
  const say = useDuration();
  function words(text: string): string {
    const found = sentenceOf(text);
    if (!found || (i18n.language.startsWith('en') && !reworded.test(found.key))) return text;
    const { ms, since, cause, ...values } = found.values;
    const sentence = t(found.key as 'no_master', { ...values, ...(ms === undefined ? {} : { time: say(Number(ms)) }), ...(cause === undefined ? {} : { cause: words(cause) }) });
    const from = /since (\S+)$/.exec(since ?? '')?.[1];
    return from === undefined ? sentence : t('waits_since', { sentence, at: from });
  }
  return words;
}
