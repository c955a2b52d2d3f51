import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const program = process.env.BATON_PROGRAM ?? '../../build/dev/bin/baton';
const handlers = {
  echo: { argv: ['/bin/cat'] },
  fail: { argv: ['/bin/sh', '-c', 'echo the ledger of the day is not balanced >&2; exit 3'] },
  long: { argv: ['/bin/sleep', '120'] },
};

// The program refuses variables of this prefix that it does not know.
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BATON_')));

/** Calls `look` until it gives something. A test has no other bound on time. */
export async function until<Found>(what: string | (() => string), look: () => Promise<Found | undefined | null | false>, limit = 30_000): Promise<Found> {
  const end = Date.now() + limit;
  for (;;) {
    const found = await look().catch(() => undefined);
    if (found) return found;
    if (Date.now() > end) throw new Error(`${typeof what === 'string' ? what : what()}: not within ${limit / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * A free port, below those that the kernel gives to outgoing connections and that other tests choose: it is still free when
 * the program has started, and when it starts again after a kill.
 */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const look = () => {
      const port = randomInt(12000, 20000);
      const probe = createServer();
      probe.once('error', look).listen(port, '127.0.0.1', () => {
        probe.close(() => resolve(port));
      });
    };
    look();
  });
}

/** `baton dev` in a temporary folder, and beside it a web process that asks for a token, if a test wants one. */
export class Server {
  private readonly folder = mkdtempSync(join(tmpdir(), 'baton-browser-'));
  private readonly running = new Map<string, ChildProcess>();
  port = 0;
  private trigger = 0;

  static async start(): Promise<Server> {
    const server = new Server();
    server.port = await freePort();
    server.trigger = await freePort();
    server.write('dev.json', {
      data: join(server.folder, 'data'), trigger: { port: server.trigger }, web: { port: server.port },
      agent: { service: 'billing', slots: 16, handlers },
    });
    await server.run();
    return server;
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts it, anew after a kill. */
  async run(): Promise<void> {
    this.spawn('dev', ['dev', '--config', join(this.folder, 'dev.json')]);
    await this.ready(() => this.get('/readyz'));
    await this.ready(async () => (await this.get<{ items: { live?: boolean }[] }>('/api/v1/clients')).items.length > 0);
  }

  /** The client in Python of the examples, as service `python`, which announces a schema of its handler `sleep`. */
  async runPythonClient(): Promise<void> {
    this.spawn('python', ['../../examples/python-client/client.py', `http://127.0.0.1:${this.trigger}`], 'python3');
    await this.ready(async () => (await this.get<{ items: object[] }>('/api/v1/services/default/python/handlers')).items.length > 0);
  }

  /** A client of the service `stubborn`, whose handler `deaf` does not return when it is asked to stop. */
  async runDeafClient(): Promise<void> {
    const recorder = join(dirname(program), '../tests/cluster_recorder');
    this.spawn('deaf', [join(this.folder, 'journal'), 'stubborn', '4', `http://127.0.0.1:${this.trigger}`], recorder);
    await this.ready(async () => (await this.get<{ items: { service: string }[] }>('/api/v1/clients')).items.some((client) => client.service === 'stubborn'));
  }

  /** A web process on the same data. Its address. */
  async runWebWithToken(token: string): Promise<string> {
    const port = await freePort();
    this.write('web.json', { listen: { port }, database: { url: `sqlite:${join(this.folder, 'data/baton.db')}` }, token });
    this.spawn('web', ['web', '--config', join(this.folder, 'web.json')]);
    await this.ready(async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok);
    return `http://127.0.0.1:${port}`;
  }

  async kill(name = 'dev'): Promise<void> {
    const child = this.running.get(name);
    this.running.delete(name);
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  /** Stops it without an end of its connections, as a machine does that hangs. */
  pause(): void {
    this.running.get('dev')?.kill('SIGSTOP');
  }

  resume(): void {
    this.running.get('dev')?.kill('SIGCONT');
  }

  async end(): Promise<void> {
    for (const name of [...this.running.keys()]) await this.kill(name);
    rmSync(this.folder, { recursive: true, force: true });
  }

  get<Answer>(path: string): Promise<Answer> {
    return this.call<Answer>('GET', path);
  }

  post<Answer = { id: string }>(path: string, body?: unknown): Promise<Answer> {
    return this.call<Answer>('POST', path, body);
  }

  async call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await fetch(this.address + path, {
      method, ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as Answer;
  }

  private async ready(look: () => Promise<unknown>): Promise<void> {
    await until('the server is ready', async () => Boolean(await look())).catch((failure: unknown) => {
      throw new Error(`${String(failure)}\n${readFileSync(join(this.folder, 'log'), 'utf8').slice(-3000)}`);
    });
  }

  private write(name: string, document: unknown) {
    writeFileSync(join(this.folder, name), JSON.stringify(document), { mode: 0o600 });
  }

  private spawn(name: string, words: string[], what = program) {
    const log = openSync(join(this.folder, 'log'), 'a');
    this.running.set(name, spawn(what, words, { stdio: ['ignore', log, log], env: environment }));
  }
}
