/** A JSON document of a body; its keys are a stranger's. */
export type Json = Readonly<Record<string, unknown>>;

const MAX_DOCUMENTS = 100_000;

export const jsonOf = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;

const listed = (value: unknown): readonly Json[] => {
  const json = jsonOf(value);
  return json === undefined ? [] : [json];
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The data of server-sent events: both kinds of line ends, data of several lines, `[DONE]` left out. */
export function parseSse(text: string): Json[] {
  const found: Json[] = [];
  for (const event of text.split(/\r\n\r\n|\n\n|\r\r/)) {
    const data = event
      .split(/\r\n|\n|\r/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(line[5] === ' ' ? 6 : 5))
      .join('\n');
    const json = data === '' || data === '[DONE]' ? undefined : jsonOf(parse(data));
    if (json !== undefined) found.push(json);
    if (found.length >= MAX_DOCUMENTS) break;
  }
  return found;
}

/** Messages of an AWS event stream; the type of each stands under `:event-type`. */
export function parseEventStream(bytes: Buffer): Json[] {
  const found: Json[] = [];
  for (let at = 0; at + 16 <= bytes.length && found.length < MAX_DOCUMENTS; ) {
    const total = bytes.readUInt32BE(at);
    const headers = bytes.readUInt32BE(at + 4);
    if (total < 16 + headers || at + total > bytes.length) break;
    const payload = jsonOf(parse(bytes.toString('utf8', at + 12 + headers, at + total - 4)));
    at += total;
    if (payload === undefined) continue;
    const packed = payload['bytes'];
    const inner =
      typeof packed === 'string' ? jsonOf(parse(Buffer.from(packed, 'base64').toString('utf8'))) : undefined;
    found.push(inner ?? payload);
  }
  return found;
}

/** The documents of a body: one, a list, one a line, events or a binary event stream. */
export function documentsOf(bytes: Buffer, type: string): readonly Json[] {
  if (type.includes('vnd.amazon.eventstream')) return parseEventStream(bytes);
  const text = bytes.toString('utf8');
  if (type.includes('event-stream') || /^(?:event|data|id|:)/.test(text)) return parseSse(text);
  const whole = parse(text);
  if (Array.isArray(whole)) return whole.flatMap(listed).slice(0, MAX_DOCUMENTS);
  const one = jsonOf(whole);
  if (one !== undefined) return [one];
  return text
    .split('\n', MAX_DOCUMENTS)
    .flatMap((line) => (line.trimStart().startsWith('{') ? listed(parse(line)) : []));
}
