/** Bounds of one answer. A device plugin has some dozen series for each of its chips. */
const MAX_SAMPLES = 10_000;
const MAX_LINES = 100_000;
const MAX_LINE = 16_384;
const MAX_LABELS = 64;
const MAX_VALUE = 255;

export interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /^[\s,]*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Samples of the Prometheus text format whose names are wanted. Comments, timestamps, exemplars and lines that are not of
 * the format are passed over, as are values that are no finite number.
 */
export function parsePrometheusText(text: string, wanted: ReadonlySet<string>): Sample[] {
  const samples: Sample[] = [];
  let at = 0;
  for (let lines = 0; at < text.length && lines < MAX_LINES && samples.length < MAX_SAMPLES; lines += 1) {
    const feed = text.indexOf('\n', at);
    const end = feed < 0 ? text.length : feed;
    if (end - at <= MAX_LINE) {
      const sample = parseLine(text.slice(at, end), wanted);
      if (sample !== undefined) samples.push(sample);
    }
    at = end + 1;
  }
  return samples;
}

function parseLine(raw: string, wanted: ReadonlySet<string>): Sample | undefined {
  const line = raw.trim();
  const name = NAME.exec(line)?.[0];
  if (name === undefined || !wanted.has(name)) return undefined;
  let rest = line.slice(name.length);
  let labels: ReadonlyMap<string, string> = new Map<string, string>();
  if (rest.trimStart().startsWith('{')) {
    const parsed = parseLabels(rest.trimStart().slice(1));
    if (parsed === undefined) return undefined;
    labels = parsed.labels;
    rest = parsed.rest;
  } else if (!/^\s/.test(rest)) return undefined;
  const word = rest.trimStart().split(/\s/, 1)[0] ?? '';
  // Not what `Number` takes: it reads an empty word and `0x10` as numbers. NaN and infinities measure nothing.
  const value = NUMBER.test(word) ? Number(word) : Number.NaN;
  return Number.isFinite(value) ? { name, labels, value } : undefined;
}

/** Labels up to the closing brace, and what follows it; undefined when they are not closed. */
function parseLabels(text: string): { labels: Map<string, string>; rest: string } | undefined {
  const labels = new Map<string, string>();
  let at = 0;
  for (;;) {
    const ahead = text.slice(at);
    const closing = /^[\s,]*\}/.exec(ahead);
    if (closing !== null) return { labels, rest: ahead.slice(closing[0].length) };
    const label = LABEL.exec(ahead);
    if (label === null || labels.size >= MAX_LABELS) return undefined;
    at += label[0].length;
    let value = '';
    for (; at < text.length && text[at] !== '"'; at += 1) {
      let character = text[at] ?? '';
      if (character === '\\') {
        at += 1;
        character = text[at] === 'n' ? '\n' : (text[at] ?? '');
      }
      if (value.length < MAX_VALUE) value += character;
    }
    if (text[at] !== '"') return undefined;
    at += 1;
    labels.set(label[1] ?? '', value);
  }
}
