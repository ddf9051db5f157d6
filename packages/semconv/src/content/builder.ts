/** Bounds and small helpers shared by everything that builds a conversation. */
import type { Conversation, MessagePart } from '../types.ts';

export const EMPTY_CONVERSATION: Conversation = {
  input: [],
  output: [],
  tools: [],
  toolExecution: undefined,
  retrievedDocuments: [],
  scores: [],
};

export const MAX_MESSAGES = 2000;
const MAX_PARTS = 10_000;
/** Characters of one conversation; what is beyond is cut with a mark. */
const MAX_CHARACTERS = 8_000_000;
export const MAX_DEPTH = 24;

/** Counts what a conversation has used of its bounds. One per conversation. */
export class Budget {
  #characters = MAX_CHARACTERS;
  #messages = MAX_MESSAGES;
  #parts = MAX_PARTS;

  /** The text, cut when the conversation is full. */
  text(text: string): string {
    if (text.length <= this.#characters) {
      this.#characters -= text.length;
      return text;
    }
    const kept = text.slice(0, this.#characters);
    this.#characters = 0;
    return `${kept}… [cut]`;
  }

  get isFull(): boolean {
    return this.#messages <= 0 || this.#parts <= 0;
  }

  takeMessage(): boolean {
    return this.#messages-- > 0;
  }

  takePart(): boolean {
    return this.#parts-- > 0;
  }
}

export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Own member of a record; never one of the prototype. */
export const member = (record: JsonRecord, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/** The first of these members that is a text with content. */
export function memberText(record: JsonRecord, ...keys: readonly string[]): string {
  for (const key of keys) {
    const value = member(record, key);
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  }
  return '';
}

/** Text as is; anything else as JSON. Never throws. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  try {
    return (
      JSON.stringify(value, (_key, entry: unknown) => (typeof entry === 'bigint' ? String(entry) : entry)) ??
      ''
    );
  } catch {
    return '[unreadable value]';
  }
}

export const textPart = (budget: Budget, text: string): MessagePart => ({
  type: 'text',
  text: budget.text(text),
});
export const jsonPart = (budget: Budget, value: unknown): MessagePart => ({
  type: 'json',
  json: budget.text(asText(value)),
});
