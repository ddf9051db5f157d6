/** Objects of frameworks around what a tool was given and what it gave back, whole or as text. */
import { parsed } from './attribute-json.ts';
import { isRecord, type JsonRecord, MAX_DEPTH, member } from './builder.ts';
import { pythonValue } from './python-repr.ts';

/** What a tool gave back, out of messages of LangChain (JSON, `repr`, constructors), commands of LangGraph and callbacks. */
export function openedResult(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return value;
  const content = typeof value === 'string' ? objectOf(value) : value;
  if (!isRecord(content)) return value;
  const kwargs = member(content, 'kwargs');
  // LangChain's callback: `{output, kwargs}`; its serialised objects: `{lc, id, kwargs}`.
  if (
    Object.hasOwn(content, 'output') &&
    Object.keys(content).every((key) => key === 'output' || key === 'kwargs')
  )
    return openedResult(member(content, 'output'), depth + 1);
  if (isRecord(kwargs) && member(content, 'lc') !== undefined) return openedResult(kwargs, depth + 1);
  if (isToolMessage(content)) return member(content, 'content');
  const update = member(content, 'update');
  const messages = isRecord(update) ? member(update, 'messages') : undefined;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isRecord(last) ? openedResult(last, depth + 1) : value;
}

/** The object that a text tells in JSON or Python; the text of anything else. */
function objectOf(text: string): unknown {
  const content = parsed(text);
  return typeof content === 'string' && content === text ? (pythonValue(text) ?? text) : content;
}

/** A message of a tool of LangChain; what has more to say than one is no message. */
function isToolMessage(record: JsonRecord): boolean {
  if (member(record, 'content') === undefined) return false;
  const type = member(record, 'type') ?? member(record, 'role');
  const isNamed = typeof type === 'string' && /^tool(message(chunk)?)?$/i.test(type);
  return (
    isNamed &&
    (member(record, 'tool_call_id') !== undefined || member(record, 'additional_kwargs') !== undefined)
  );
}

/** What a tool was given, out of the arguments of LangChain's callback: `{input_str, tags, metadata, inputs, kwargs}`. */
export function openedArguments(value: unknown): unknown {
  const content = parsed(value);
  if (!isRecord(content)) return value;
  const text = member(content, 'input_str');
  if (typeof text !== 'string') return value;
  const inputs = member(content, 'inputs');
  if (isRecord(inputs) && Object.keys(inputs).length > 0) return inputs;
  return objectOf(text);
}
