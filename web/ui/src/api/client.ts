import createClient, { type Middleware } from 'openapi-fetch';
import { parseAnswer, writeJson } from '@/shared/exact_json';
import { heard } from './live/signs';
import { ProblemError, problemOf } from './problem';
import type { paths } from './schema.gen';
import { token } from './token';

export function authorization(): Record<string, string> {
  const value = token.read();
  return value ? { Authorization: `Bearer ${value}` } : {};
}

const authorize: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(authorization())) request.headers.set(name, value);
    return request;
  },
  onResponse({ response }) {
    heard();
    if (response.status === 401) token.refuse();
  },
};

/** Payloads are other people's documents: their numbers come and go as they are written, also those that JavaScript cannot hold. */
async function fetchExactly(request: Request): Promise<Response> {
  const response = await window.fetch(request);
  response.json = async () => parseAnswer(await response.text());
  return response;
}

export const api = createClient<paths>({ baseUrl: typeof window === 'undefined' ? '' : window.location.origin, fetch: fetchExactly, bodySerializer: (body) => writeJson(body) });
api.use(authorize);

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

async function reach<Data>(request: Promise<Answer<Data>>): Promise<Answer<Data>> {
  try {
    return await request;
  } catch (reason) {
    if (reason instanceof DOMException && reason.name === 'AbortError') throw reason;
    throw new ProblemError({ status: 0, title: 'unreachable', detail: '' });
  }
}

/** The document of a successful answer. Throws a ProblemError otherwise. */
export async function unwrap<Data>(request: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await reach(request);
  if (!response.ok || data === undefined) throw problemOf(error, response);
  return data;
}

/** A version as If-Match has it. */
export function versionTag(version: number | undefined): string {
  return `"${version ?? 0}"`;
}
