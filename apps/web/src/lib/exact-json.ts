/** JSON of tomorrow's typings: the text of a number, and a value that is such a text. */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context?: { source?: string }) => unknown,
  ): unknown;
  rawJSON?(text: string): object;
  isRawJSON?(value: unknown): boolean;
}
const EXACT: ExactJson = JSON;

/** A text without one has no number that a double could lose anything of. */
const LONG = /[\d.]{16}|[eE]\+?\d{3}/;

/**
 * Reads JSON. A number that is more than a double holds, as ids of 64 bits are, becomes an object that `JSON.stringify` and
 * `numberText` write as it was sent. @throws SyntaxError
 */
export function parseExactly(text: string): unknown {
  if (!LONG.test(text)) return JSON.parse(text);
  return EXACT.parse(text, (_key, value, context) => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || !isLost(value, source)) return value;
    return EXACT.rawJSON?.(source) ?? value;
  });
}

const isLost = (value: number, source: string): boolean =>
  !Number.isFinite(value) || (source.replaceAll(/\D/g, '').length > 15 && String(value) !== source);

/** The text of a number that `parseExactly` kept as it was; undefined for any other value. */
export const numberText = (value: unknown): string | undefined =>
  EXACT.isRawJSON?.(value) === true ? JSON.stringify(value) : undefined;
