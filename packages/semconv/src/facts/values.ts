/** Coercion of attribute values by meaning of the key, never by wire type: emitters disagree about the latter. */
import type { AttributeValue } from '../types.ts';

const MAX_TEXT = 512;
const MAX_COUNT = 1e9;

/** Trimmed text of a scalar, cut to 512 characters; '' for absent, empty and structured values. */
export function textOf(value: AttributeValue | undefined): string {
  if (typeof value === 'string') {
    const text = value.length > MAX_TEXT ? value.slice(0, MAX_TEXT) : value;
    return text.trim();
  }
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  if (typeof value === 'bigint') return String(value).slice(0, MAX_TEXT);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return '';
}

/** First text of a list (`["stop"]`, also as JSON text), or the scalar itself. */
export function firstTextOf(value: AttributeValue | undefined): string {
  if (Array.isArray(value)) {
    for (const item of value as readonly AttributeValue[]) {
      const text = textOf(item);
      if (text !== '') return text;
    }
    return '';
  }
  const text = textOf(value);
  const quoted = text.startsWith('[') ? /^\[\s*"([^"\\]{1,200})"/.exec(text) : null;
  return quoted?.[1] ?? text;
}

/** Finite number of an int, double, 64-bit int or numeric text; undefined for everything else. */
export function numberOf(value: AttributeValue | undefined): number | undefined {
  let number: number;
  if (typeof value === 'number') number = value;
  else if (typeof value === 'bigint') number = Number(value);
  else if (typeof value === 'string' && value !== '' && value.length <= 40 && value.trim() !== '') {
    number = Number(value);
  } else return undefined;
  return Number.isFinite(number) ? number : undefined;
}

/**
 * Token count: whole, 0 to one thousand million. What is negative, larger or no number is absent: no call has so many
 * tokens, and a clamped count would become money.
 */
export function countOf(value: AttributeValue | undefined): number | undefined {
  const number = numberOf(value);
  if (number === undefined || number < 0 || number > MAX_COUNT) return undefined;
  return Math.round(number);
}

/** Whether an attribute was to be a count and is none: a negative, infinite or absurd number, `NaN`, a text. */
export const isAbsurdCount = (value: AttributeValue | undefined): boolean =>
  (typeof value === 'number' ||
    typeof value === 'bigint' ||
    (typeof value === 'string' && value.trim() !== '')) &&
  countOf(value) === undefined;

/** USD or milliseconds: finite and not negative, at most one thousand million. */
export function amountOf(value: AttributeValue | undefined): number | undefined {
  const number = numberOf(value);
  if (number === undefined || number < 0 || number > 1e9) return undefined;
  return number;
}
