/**
 * Media that was uploaded beside of the telemetry. Clients of Langfuse take an image, a sound or a file out of a text and put
 * a reference there: `@@@langfuseMedia:type=image/png|id=…|source=bytes@@@`.
 */
import type { Conversation, Message, MessagePart } from '../types.ts';

type MediaPart = Extract<MessagePart, { type: 'media' }>;

const MARK = '@@@langfuseMedia:';
const REFERENCE = /@@@langfuseMedia:([^@]{1,400})@@@/g;
/** What stands before the id in the address of a media part. */
const ADDRESS = 'candela-media:';
/** References of one text that are looked up; the others stay text. */
const MOST = 100;

/** The id of uploaded media that an address of a media part names; undefined: it is none. */
export function storedMediaId(uri: string): string | undefined {
  const id = uri.startsWith(ADDRESS) ? uri.slice(ADDRESS.length) : '';
  return /^[\w-]{1,64}$/.test(id) ? id : undefined;
}

/** The uploaded media that a text refers to, in its order, each once. */
export function storedMediaOf(text: string): MediaPart[] {
  if (!text.includes(MARK)) return [];
  const found = new Map<string, MediaPart>();
  for (const [, fields = ''] of text.matchAll(REFERENCE)) {
    const part = partOf(fields);
    if (part !== undefined) found.set(part.uri, part);
    if (found.size === MOST) break;
  }
  return [...found.values()];
}

/** The same conversation with a media part for each reference. */
export function withStoredMedia(conversation: Conversation): Conversation {
  const { input, output } = conversation;
  if (!refers(input) && !refers(output)) return conversation;
  return { ...conversation, input: input.map(ofMessage), output: output.map(ofMessage) };
}

const textOf = (part: MessagePart): string => {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'media':
      return part.uri;
    case 'tool_result':
      return part.result;
    case 'json':
      return part.json;
    default:
      return '';
  }
};
const refers = (messages: readonly Message[]): boolean =>
  messages.some(({ parts }) => parts.some((part) => textOf(part).includes(MARK)));

const ofMessage = (message: Message): Message => ({ ...message, parts: message.parts.flatMap(ofPart) });

function ofPart(part: MessagePart): MessagePart[] {
  const text = textOf(part);
  if (!text.includes(MARK)) return [part];
  switch (part.type) {
    case 'media': {
      // In an address of its own, or where its data would be.
      const [stored] = storedMediaOf(text);
      return stored === undefined ? [part] : [{ ...stored, modality: part.modality || stored.modality }];
    }
    case 'text':
      return apart(text);
    default:
      return [part, ...storedMediaOf(text)];
  }
}

/** What is said before, between and after the references. */
function apart(text: string): MessagePart[] {
  const parts: MessagePart[] = [];
  let from = 0;
  let taken = 0;
  const say = (until: number) => {
    const said = text.slice(from, until);
    if (said.trim() !== '') parts.push({ type: 'text', text: said });
  };
  for (const match of text.matchAll(REFERENCE)) {
    const part = taken < MOST ? partOf(match[1] ?? '') : undefined;
    if (part === undefined) continue;
    say(match.index);
    parts.push(part);
    from = match.index + match[0].length;
    taken += 1;
  }
  say(text.length);
  return parts;
}

/** `type=image/png|id=…|source=bytes` */
function partOf(fields: string): MediaPart | undefined {
  const values = new Map(
    fields.split('|').map((field) => {
      const at = field.indexOf('=');
      return [field.slice(0, at), field.slice(at + 1)] as const;
    }),
  );
  const uri = `${ADDRESS}${values.get('id') ?? ''}`;
  if (storedMediaId(uri) === undefined) return undefined;
  const type = values.get('type') ?? '';
  const mimeType = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : '';
  const [kind = ''] = mimeType.split('/', 1);
  return {
    type: 'media',
    modality: ['image', 'audio', 'video'].includes(kind) ? kind : 'file',
    mimeType,
    uri,
  };
}
