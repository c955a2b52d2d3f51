/** One event of a text/event-stream. */
export interface StreamEvent {
  id: string;
  name: string;
  data: string;
}

export interface StreamTaker {
  event: (event: StreamEvent) => void;
  /** The server said after how many milliseconds to come again. */
  retry: (ms: number) => void;
}

/**
 * Takes the text of a stream piece by piece, calls `taker.event` for each whole event.
 * Fields as in the HTML standard, "Interpreting an event stream".
 */
export function eventReader(taker: StreamTaker): (piece: string) => void {
  let rest = '';
  let id = '';
  let name = '';
  let data: string[] = [];

  function line(text: string) {
    if (text === '') {
      if (data.length > 0) taker.event({ id, name: name || 'message', data: data.join('\n') });
      name = '';
      data = [];
      return;
    }
    if (text.startsWith(':')) return;
    const colon = text.indexOf(':');
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id') id = value;
    else if (field === 'retry' && /^[0-9]+$/.test(value)) taker.retry(Number(value));
  }

  return (piece) => {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    lines.forEach(line);
  };
}
