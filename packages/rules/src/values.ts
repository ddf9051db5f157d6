/** A value that a caller gives for a field. */
export type FieldValue = string | number | boolean;

/** The values that conditions look at, by the name of the field. A Map, because the names are hostile. */
export type Fields = ReadonlyMap<string, FieldValue>;

/**
 * The one text that a value is, for every operator: attributes of telemetry are stored as text, so a number given as
 * `0.5` and one stored as `0.5` must be the same. Numbers are written the shortest way (`1.0` is `1`, `-0` is `0`,
 * 10^21 is `1e+21`), booleans `true` and `false`. Half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD.
 * No Unicode normalisation: an `é` of one and of two code points differ, as they do in the engine.
 */
export const textOf = (value: FieldValue): string => String(value).toWellFormed();

/** Decimal text: a sign, digits with or without a point, an exponent. No blanks, no hex, no `inf` or `nan`. */
export const NUMBER_PATTERN = '^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?$';
const NUMBER = new RegExp(NUMBER_PATTERN);

/** The number that a text is, rounded to a double; undefined when it is none or too large for one. */
export function numberOf(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** One value as operators see it: its text, and its number, worked out once however many conditions ask. */
export class Seen {
  readonly text: string;
  private parsed: number | undefined | null = null;

  constructor(value: FieldValue) {
    this.text = textOf(value);
  }

  get number(): number | undefined {
    if (this.parsed === null) this.parsed = numberOf(this.text);
    return this.parsed;
  }
}

/** The fields of one evaluation, each turned into what operators see when it is first asked for. */
export class SeenFields {
  private readonly fields: Fields;
  private readonly seen = new Map<string, Seen>();

  constructor(fields: Fields) {
    this.fields = fields;
  }

  get(field: string): Seen | undefined {
    const known = this.seen.get(field);
    if (known !== undefined) return known;
    const value = this.fields.get(field);
    if (value === undefined) return undefined;
    const seen = new Seen(value);
    this.seen.set(field, seen);
    return seen;
  }

  names(): Iterable<string> {
    return this.fields.keys();
  }
}
