import { choiceParam, textParam } from '../../lib/search-params.ts';

export const LEFT_VIEWS = ['tree', 'transcript', 'timeline', 'graph', 'logs'] as const;
export type LeftView = (typeof LEFT_VIEWS)[number];
/** Characters of a search in the trace that the address holds. */
const MOST_FIND = 200;
const SPAN_TABS = ['messages', 'attributes', 'events', 'logs', 'links', 'scores', 'raw'] as const;
export type SpanTab = (typeof SPAN_TABS)[number];

/** What the trace page has in its URL. */
export interface TraceSearch {
  view?: LeftView;
  span?: string;
  tab?: SpanTab;
  find?: string;
  /** A message of the span, `input.3`: which of those that went in (`output`: came out), from 0. */
  message?: string;
  /** The stretch of time in focus, `from-to` in milliseconds after the start of the trace. */
  focus?: string;
}

/** Which message of a span: the how manieth, from 0, of what went in or came out. */
export interface MessagePlace {
  readonly side: 'input' | 'output';
  readonly index: number;
}

/** Reads a message's place as the address has it; undefined for anything else. */
export function readMessagePlace(text: string | undefined): MessagePlace | undefined {
  const [, side, index] = /^(input|output)\.(\d{1,6})$/.exec(text ?? '') ?? [];
  return side === undefined ? undefined : { side: side as MessagePlace['side'], index: Number(index) };
}

/** A stretch of the trace, in milliseconds after its start. */
export interface Focus {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Whole milliseconds would lose a focus on microseconds; three digits more are all that times have. */
export const focusText = (focus: Focus): string =>
  `${Number(focus.fromMs.toFixed(3))}-${Number(focus.toMs.toFixed(3))}`;

/** Reads what `focusText` wrote; undefined for anything else. */
export function readFocus(text: string | undefined): Focus | undefined {
  const match = /^(\d{1,12}(?:\.\d{1,3})?)-(\d{1,12}(?:\.\d{1,3})?)$/.exec(text ?? '');
  const [fromMs, toMs] = [Number(match?.[1]), Number(match?.[2])];
  return fromMs < toMs ? { fromMs, toMs } : undefined;
}

/** What was typed or pasted as a search, cut to what the address holds, between characters. */
export const findText = (text: string): string =>
  text.length > MOST_FIND ? text.slice(0, MOST_FIND).replace(/[\uD800-\uDBFF]$/, '') : text;

export function validateTraceSearch(raw: Record<string, unknown>): TraceSearch {
  const view = choiceParam(raw, 'view', LEFT_VIEWS);
  const span = textParam(raw, 'span', 16);
  const tab = choiceParam(raw, 'tab', SPAN_TABS);
  const find = textParam(raw, 'find', MOST_FIND);
  const message = textParam(raw, 'message', 16);
  const focus = readFocus(textParam(raw, 'focus', 40));
  return {
    ...(view === undefined || view === 'tree' ? {} : { view }),
    ...(span === undefined || !/^[0-9a-f]{16}$/i.test(span) ? {} : { span: span.toLowerCase() }),
    ...(tab === undefined ? {} : { tab }),
    ...(find === undefined ? {} : { find }),
    ...(message === undefined || readMessagePlace(message) === undefined ? {} : { message }),
    ...(focus === undefined ? {} : { focus: focusText(focus) }),
  };
}
