/** Streams that were recorded as they came, chunk for chunk, as the answer they make together. */
import { asText, isRecord, type JsonRecord, member, memberText } from './builder.ts';

/** The answer, or the list of them, of streams of OpenAI's two APIs or Anthropic's; undefined for any other list. */
export function streamedAnswer(items: readonly unknown[]): unknown {
  const first = items[0];
  if (!isRecord(first) || !items.every(isRecord)) return undefined;
  const type = memberText(first, 'type');
  if (memberText(first, 'object') === 'chat.completion.chunk') return streamsOf(items).map(ofChunks);
  if (type === 'message_start' || type === 'content_block_start') return ofBlocks(items);
  return type.startsWith('response.') ? ofResponses(items) : undefined;
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

/** What is said in pieces: text alone, or a list of parts where some of it is thought (Mistral). */
class Said {
  readonly #parts: JsonRecord[] = [];
  #isText = true;

  add(content: unknown): void {
    if (typeof content === 'string' && content !== '') this.#addPart({ type: 'text', text: content });
    if (!Array.isArray(content)) return;
    this.#isText = false;
    for (const part of content as readonly unknown[])
      if (typeof part === 'string') this.add(part);
      else if (isRecord(part)) this.#addPart(part);
  }

  #addPart(part: JsonRecord): void {
    const type = memberText(part, 'type');
    const last = this.#parts.at(-1);
    if (type !== 'text' && type !== 'thinking') this.#parts.push(part);
    else if (last !== undefined && member(last, 'type') === type) {
      const said = memberText(last, type) + pieceOf(part, type);
      this.#parts[this.#parts.length - 1] = { ...last, ...part, [type]: said };
    } else this.#parts.push({ ...part, [type]: pieceOf(part, type) });
  }

  whole(): unknown {
    if (!this.#isText) return this.#parts;
    const text = this.#parts[0];
    return text === undefined ? null : member(text, 'text');
  }
}

function pieceOf(part: JsonRecord, type: string): string {
  const piece = member(part, type);
  return Array.isArray(piece)
    ? piece.map((text: unknown) => (isRecord(text) ? memberText(text, 'text') : asText(text))).join('')
    : memberText(part, type);
}

interface Call {
  id: string;
  name: string;
  args: string;
}

/** Calls of tools that come in pieces, one after another or side by side. */
class Calls {
  readonly #calls: Call[] = [];
  readonly #places = new Map<number, Call>();

  add(piece: JsonRecord): void {
    const index = member(piece, 'index');
    const called = recordOf(piece, 'function');
    const [id, name] = [memberText(piece, 'id'), memberText(called, 'name')];
    let call = typeof index === 'number' ? this.#places.get(index) : this.#calls.at(-1);
    if (call === undefined || isAnother(call, id, name, typeof index === 'number')) {
      call = { id: '', name: '', args: '' };
      this.#calls.push(call);
      if (typeof index === 'number') this.#places.set(index, call);
    }
    // Some repeat both with every piece.
    call.id ||= id;
    if (name !== call.name) call.name += name;
    call.args += asText(member(called, 'arguments'));
  }

  whole(): JsonRecord[] {
    return this.#calls.map(({ id, name, args }) => ({ id, function: { name, arguments: args } }));
  }
}

/** Whether a piece begins another call: Gemini sends calls whole, without an index or all with the same one. */
function isAnother(call: Call, id: string, name: string, isPlaced: boolean): boolean {
  if (id !== '') return id !== call.id && (call.id !== '' || !isPlaced);
  return name !== '' && (!isPlaced || (call.id === '' && call.args !== ''));
}

/** The chunks of each answer, which may have come side by side; one without an id belongs to that of the one before it. */
function streamsOf(chunks: readonly JsonRecord[]): readonly (readonly JsonRecord[])[] {
  const named = chunks.map((chunk) => memberText(chunk, 'id'));
  let id = named.find((name) => name !== '') ?? '';
  const streams = Map.groupBy(chunks, (_, index) => (id = named[index] || id));
  // Some give every chunk an id of its own, which tells nothing: an answer of one chunk has ended with it.
  const isTold = [...streams.values()].every(([first, ...more]) => more.length > 0 || hasEnded(first ?? {}));
  return isTold ? [...streams.values()] : [chunks];
}

const hasEnded = (chunk: JsonRecord): boolean =>
  listOf(chunk, 'choices').some((choice) => memberText(choice, 'finish_reason') !== '');

function ofChunks(chunks: readonly JsonRecord[]): JsonRecord {
  const newChoice = () => ({
    content: new Said(),
    text: new Pieces(),
    audio: new Pieces(),
    audioId: '',
    calls: new Calls(),
    asked: new Pieces(),
    finish: '',
  });
  const choices = new Map<number, ReturnType<typeof newChoice>>();
  for (const chunk of chunks)
    for (const part of listOf(chunk, 'choices')) {
      const choice = at(choices, member(part, 'index'), newChoice);
      const delta = recordOf(part, 'delta');
      choice.content.add(member(delta, 'content'));
      choice.text.add(delta, 'reasoning_content', 'reasoning', 'refusal');
      // The sound itself comes in pieces that are no file together.
      const audio = recordOf(delta, 'audio');
      choice.audio.add(audio, 'transcript');
      choice.audioId ||= memberText(audio, 'id');
      choice.asked.add(recordOf(delta, 'function_call'), 'name', 'arguments');
      choice.finish = memberText(part, 'finish_reason') || choice.finish;
      for (const call of listOf(delta, 'tool_calls')) choice.calls.add(call);
    }
  return {
    choices: inOrder(choices).map(({ content, text, audio, audioId, calls, asked, finish }) => ({
      finish_reason: finish,
      message: {
        role: 'assistant',
        content: content.whole(),
        reasoning_content: text.get('reasoning_content') ?? text.get('reasoning'),
        refusal: text.get('refusal'),
        audio: { id: audioId, transcript: audio.get('transcript') },
        tool_calls: calls.whole(),
        function_call:
          asked.get('name') === undefined
            ? undefined
            : { name: asked.get('name'), arguments: asked.get('arguments') },
      },
    })),
  };
}

function ofBlocks(events: readonly JsonRecord[]): JsonRecord[] {
  const newBlock = (start: JsonRecord) => ({ start, text: new Pieces() });
  const newAnswer = () => ({
    blocks: [] as ReturnType<typeof newBlock>[],
    places: new Map<unknown, ReturnType<typeof newBlock>>(),
    stopped: '',
  });
  let answer = newAnswer();
  const answers = [answer];
  for (const event of events) {
    const type = memberText(event, 'type');
    if (type === 'message_start') {
      answer = newAnswer();
      answers.push(answer);
    }
    const delta = recordOf(event, 'delta');
    answer.stopped = memberText(delta, 'stop_reason') || answer.stopped;
    if (type !== 'content_block_start' && type !== 'content_block_delta') continue;
    const index = member(event, 'index');
    const known = type === 'content_block_start' ? undefined : answer.places.get(index);
    const block = known ?? newBlock(recordOf(event, 'content_block'));
    if (known === undefined) {
      answer.blocks.push(block);
      answer.places.set(index, block);
      block.text.add(block.start, 'text', 'thinking');
    }
    block.text.add(delta, 'text', 'thinking', 'partial_json');
  }
  return answers.map(({ blocks, stopped }) => ({
    role: 'assistant',
    stop_reason: stopped,
    content: blocks.map(({ start, text }) => ({
      ...start,
      ...Object.fromEntries(
        ['text', 'thinking'].flatMap((key) => (text.get(key) === undefined ? [] : [[key, text.get(key)]])),
      ),
      ...(text.get('partial_json') === undefined ? {} : { input: text.get('partial_json') }),
    })),
  }));
}

/** Events that end a response of OpenAI's Responses API: what comes behind them belongs to the next one. */
const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

function ofResponses(events: readonly JsonRecord[]): JsonRecord[] {
  const answers: JsonRecord[] = [];
  let from = 0;
  for (const [at, event] of events.entries()) {
    const type = memberText(event, 'type');
    const to = type === 'response.created' ? at : at + 1;
    if ((type !== 'response.created' && !ENDS.has(type) && to < events.length) || from === to) continue;
    answers.push(ofResponse(events.slice(from, to)));
    from = to;
  }
  return answers;
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
