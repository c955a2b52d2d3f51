import { useTranslation } from 'react-i18next';
import { sentences, type Key } from './server_sentences';
import { useDuration } from './Times';

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
    const { ms, limit_ms: limit, since, cause, error, ...values } = found.values;
    if (ms !== undefined) values.time = say(Number(ms));
    if (limit !== undefined) values.limit = say(Number(limit));
    if (cause !== undefined) values.cause = words(cause);
    if (error !== undefined) values.error = words(error);
    const sentence = t(found.key as 'no_master', values as { time: string });
    const from = /since (\S+)$/.exec(since ?? '')?.[1];
    return from === undefined ? sentence : t('waits_since', { sentence, at: from });
  }
  return words;
}
