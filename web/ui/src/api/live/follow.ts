import { eventReader, type StreamEvent } from './event_stream';

/** What `follow` needs from its surroundings, so that a test can stand in for them. */
export interface Surroundings {
  open: (lastId: string, signal: AbortSignal) => Promise<Response>;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  onState: (state: 'stream' | 'poll') => void;
  /** The stream sent something, also if it is no event. */
  onPiece: () => void;
  /** `first`: the stream began without an id, so it tells nothing of what changed before it. */
  onEvent: (event: StreamEvent, first: boolean) => void;
  onUnauthorized: () => void;
}

const longestWait = 30000;
// The server sends a comment every 15 s, so a stream that is still for so long is lost.
const longestSilence = 45000;
// A browser writes each refusal to its console, so a server that refuses is asked seldom.
const refusedWait = 60000;
// These answers mean that the server has no stream for this page, now or later.
const never = [400, 403, 404, 405, 501, 505];

type End = { after: 'never' } | { after: 'wait'; ms: number };

function refusal(response: Response, { onUnauthorized }: Surroundings): End {
  if (response.status === 401) onUnauthorized();
  if (response.status === 401 || never.includes(response.status)) return { after: 'never' };
  const seconds = Number(response.headers.get('Retry-After') ?? 0) || 0;
  return { after: 'wait', ms: Math.max(seconds * 1000, refusedWait) };
}

/** Reads to the end; a stream that is still for too long is cut off. */
async function readPieces(body: NonNullable<Response['body']>, take: (piece: string) => void, cut: () => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const timer = setTimeout(cut, longestSilence);
    try {
      const piece = await reader.read();
      if (piece.done) return;
      take(piece.value);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function readStream(around: Surroundings, last: { id: string; retry: number }, signal: AbortSignal): Promise<End> {
  const connection = new AbortController();
  const stop = () => connection.abort();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const response = await around.open(last.id, connection.signal);
    if (!response.ok || !response.body) return refusal(response, around);
    around.onState('stream');
    let first = last.id === '';
    const take = eventReader({
      event: (event) => {
        if (event.id) last.id = event.id;
        around.onEvent(event, first);
        first = false;
      },
      retry: (ms) => {
        last.retry = ms;
      },
    });
    await readPieces(response.body, (piece) => {
      around.onPiece();
      take(piece);
    }, stop);
    return { after: 'wait', ms: last.retry };
  } finally {
    signal.removeEventListener('abort', stop);
    connection.abort();
  }
}

/** Reads the server's stream until `signal`, and opens it anew after a loss from where it ended. */
export async function follow(around: Surroundings, signal: AbortSignal): Promise<void> {
  const last = { id: '', retry: 1000 };
  let losses = 0;
  while (!signal.aborted) {
    let end: End;
    try {
      end = await readStream(around, last, signal);
      losses = 0;
    } catch {
      end = { after: 'wait', ms: Math.min(last.retry * 2 ** losses, longestWait) };
      losses += 1;
    }
    around.onState('poll');
    if (end.after === 'never') return;
    if (!signal.aborted) await around.wait(end.ms, signal);
  }
}
