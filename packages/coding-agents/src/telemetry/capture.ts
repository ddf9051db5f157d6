import { scrub, scrubAndCut } from '@candela/redaction';
import type { AttributeValue } from './types.ts';

/** How much of what an agent did is sent. Each mode sends what the one before does. */
export const CAPTURE_MODES = ['minimal', 'metadata_only', 'full'] as const;
export type CaptureMode = (typeof CAPTURE_MODES)[number];

/** The stricter of two modes: a policy can only take away. */
export function stricter(a: CaptureMode, b: CaptureMode): CaptureMode {
  return CAPTURE_MODES.indexOf(a) <= CAPTURE_MODES.indexOf(b) ? a : b;
}

const ID_BYTES = 256;
const NAME_BYTES = 1024;
/** Bodies longer than that are cut, after they were scrubbed. */
const BODY_BYTES = 16 << 10;

/** Attributes of a span, each put in by what it discloses; what the mode does not send is left out. Every text is scrubbed. */
export class Disclosure {
  readonly #mode: CaptureMode;
  readonly values: Record<string, AttributeValue> = {};

  constructor(mode: CaptureMode) {
    this.#mode = mode;
  }

  /** Identifiers, counts, enumerations: in every mode. */
  id(key: string, value: AttributeValue | undefined): this {
    if (value !== undefined)
      this.values[key] = typeof value === 'string' ? scrubAndCut(value, 1, ID_BYTES) : value;
    return this;
  }

  /** Names of tools, paths: not in `minimal`. */
  name(key: string, value: string | undefined): this {
    if (value !== undefined && this.#mode !== 'minimal') this.values[key] = scrubAndCut(value, 1, NAME_BYTES);
    return this;
  }

  /** What was said, run and written: only in `full`. */
  body(key: string, value: unknown): this {
    if (value === undefined || this.#mode !== 'full') return this;
    const text = typeof value === 'string' ? value : JSON.stringify(scrubInside(value, 0));
    if (text !== '') this.values[key] = scrubAndCut(text, 2, BODY_BYTES);
    return this;
  }

  /** A message's text in the form of the conventions. */
  message(key: string, role: 'user' | 'assistant', text: string | undefined): this {
    if (text === undefined || this.#mode !== 'full') return this;
    const content = scrubAndCut(text, 2, BODY_BYTES);
    this.values[key] = JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
    return this;
  }

  /** What went wrong; it may quote content. */
  error(text: string): string {
    if (this.#mode === 'full') return scrubAndCut(text, 2, NAME_BYTES);
    return scrubAndCut(/^(?:[Ee]xit code \d{1,3}|[a-z_]{1,60})/.exec(text)?.[0] ?? 'failed', 1, NAME_BYTES);
  }
}

/** Texts of a value scrubbed one by one: a key in JSON is escaped there and would not be recognised. */
function scrubInside(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return scrub(value, 2);
  if (depth > 12 || typeof value !== 'object' || value === null) return depth > 12 ? null : value;
  if (Array.isArray(value)) return value.slice(0, 1000).map((item) => scrubInside(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [scrub(key, 2), scrubInside(item, depth + 1)]),
  );
}
