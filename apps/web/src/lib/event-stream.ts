/** One server-sent event. */
export interface StreamEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** An event longer than this is no event of ours. */
const MOST_CHARACTERS = 16_000_000;

/**
 * Takes the text of a `text/event-stream` in pieces of any size and gives back the events that are complete. Comments
 * and `retry` are left out. @throws Error when an event grows without end
 */
export function eventReader(): (text: string) => StreamEvent[] {
  let rest = '';
  let name = '';
  let id = '';
  let data: string[] = [];
  let size = 0;
  return (text) => {
    rest += text;
    if (rest.length > MOST_CHARACTERS) throw new Error('An event of the stream is too long.');
    const events: StreamEvent[] = [];
    // A carriage return at the end may be half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?=.)/s);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) events.push({ event: name || 'message', id, data: data.join('\n') });
        [name, data, size] = ['', [], 0];
        continue;
      }
      const colon = line.indexOf(':');
      if (colon === 0) continue;
      const field = colon === -1 ? line : line.slice(0, colon);
      const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'event') name = value;
      else if (field === 'id') id = value;
      else if (field === 'data') {
        size += value.length;
        if (size > MOST_CHARACTERS) throw new Error('An event of the stream is too long.');
        data.push(value);
      }
    }
    return events;
  };
}
