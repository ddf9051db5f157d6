/** Streams that were recorded as they came, chunk for chunk, as the answer they make together. */
import { isRecord, type JsonRecord, member, memberText } from './builder.ts';

/** The answer of a stream of OpenAI's two APIs or Anthropic's; undefined for any other list. */
export function streamedAnswer(items: readonly unknown[]): unknown {
  const first = items[0];
  if (!isRecord(first) || !items.every(isRecord)) return undefined;
  const type = memberText(first, 'type');
  if (memberText(first, 'object') === 'chat.completion.chunk') return ofChunks(items);
  if (type === 'message_start' || type === 'content_block_start') return ofBlocks(items);
  return type.startsWith('response.') ? ofResponse(items) : undefined;
}

const listOf = (record: JsonRecord, key: string): readonly JsonRecord[] => {
  const list = member(record, key);
  return Array.isArray(list) ? (list as readonly unknown[]).filter(isRecord) : [];
};
const recordOf = (record: JsonRecord, key: string): JsonRecord => {
  const value = member(record, key);
  return isRecord(value) ? value : {};
};

/** Texts that come in pieces, by name. */
class Pieces {
  readonly #texts = new Map<string, string>();

  add(record: JsonRecord, ...keys: readonly string[]): void {
    for (const key of keys) {
      const piece = member(record, key);
      if (typeof piece === 'string') this.#texts.set(key, (this.#texts.get(key) ?? '') + piece);
    }
  }

  get(key: string): string | undefined {
    return this.#texts.get(key);
  }
}

/** The entry of a place in a list; a place that nobody wrote to before is made. */
function at<T>(places: Map<number, T>, place: unknown, make: () => T): T {
  const index = typeof place === 'number' ? place : 0;
  const known = places.get(index) ?? make();
  places.set(index, known);
  return known;
}
const inOrder = <T>(places: ReadonlyMap<number, T>): T[] =>
  [...places].toSorted(([a], [b]) => a - b).map(([, value]) => value);

function ofChunks(chunks: readonly JsonRecord[]): JsonRecord {
  const newChoice = () => ({ text: new Pieces(), calls: new Map<number, Pieces>(), finish: '' });
  const choices = new Map<number, ReturnType<typeof newChoice>>();
  for (const chunk of chunks)
    for (const part of listOf(chunk, 'choices')) {
      const choice = at(choices, member(part, 'index'), newChoice);
      const delta = recordOf(part, 'delta');
      choice.text.add(delta, 'content', 'reasoning_content', 'reasoning', 'refusal');
      choice.finish = memberText(part, 'finish_reason') || choice.finish;
      for (const call of listOf(delta, 'tool_calls')) {
        const pieces = at(choice.calls, member(call, 'index'), () => new Pieces());
        pieces.add(call, 'id');
        pieces.add(recordOf(call, 'function'), 'name', 'arguments');
      }
    }
  return {
    choices: inOrder(choices).map(({ text, calls, finish }) => ({
      finish_reason: finish,
      message: {
        role: 'assistant',
        content: text.get('content') ?? null,
        reasoning_content: text.get('reasoning_content') ?? text.get('reasoning'),
        refusal: text.get('refusal'),
        tool_calls: inOrder(calls).map((call) => ({
          id: call.get('id'),
          function: { name: call.get('name'), arguments: call.get('arguments') },
        })),
      },
    })),
  };
}

function ofBlocks(events: readonly JsonRecord[]): JsonRecord {
  const blocks = new Map<number, { start: JsonRecord; text: Pieces }>();
  let stopped = '';
  for (const event of events) {
    const delta = recordOf(event, 'delta');
    stopped = memberText(delta, 'stop_reason') || stopped;
    const type = memberText(event, 'type');
    if (type !== 'content_block_start' && type !== 'content_block_delta') continue;
    const block = at(blocks, member(event, 'index'), () => ({ start: {}, text: new Pieces() }));
    if (type === 'content_block_start') {
      block.start = recordOf(event, 'content_block');
      block.text.add(block.start, 'text', 'thinking');
    } else block.text.add(delta, 'text', 'thinking', 'partial_json');
  }
  return {
    role: 'assistant',
    stop_reason: stopped,
    content: inOrder(blocks).map(({ start, text }) => ({
      ...start,
      ...Object.fromEntries(
        ['text', 'thinking'].flatMap((key) => (text.get(key) === undefined ? [] : [[key, text.get(key)]])),
      ),
      ...(text.get('partial_json') === undefined ? {} : { input: text.get('partial_json') }),
    })),
  };
}

function ofResponse(events: readonly JsonRecord[]): JsonRecord {
  const ended = events.findLast((event) => listOf(recordOf(event, 'response'), 'output').length > 0);
  if (ended !== undefined) return recordOf(ended, 'response');
  const items = events.filter((event) => memberText(event, 'type') === 'response.output_item.done');
  if (items.length > 0) return { output: items.map((event) => recordOf(event, 'item')) };
  const text = new Pieces();
  for (const event of events)
    if (memberText(event, 'type') === 'response.output_text.delta') text.add(event, 'delta');
  return { role: 'assistant', content: text.get('delta') ?? '' };
}
