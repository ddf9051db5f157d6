import type { SpanReader } from '../types.ts';
import type { FieldValues } from './fields.ts';
import { amountOf } from './values.ts';

/** Emitters that write milliseconds under a name that stands for seconds. */
const IN_MILLISECONDS = /^strands/;

/**
 * Milliseconds to the first token. A name stands for seconds or for milliseconds, but some emitters write the other: a
 * first token after the end of its call is in the other unit.
 */
export function firstTokenMs(
  fields: FieldValues,
  { scopeName, startTimeUnixNano = 0n, endTimeUnixNano = 0n }: Partial<SpanReader>,
): number | undefined {
  const ms = amountOf(fields.get('firstTokenMs'));
  if (ms !== undefined) return ms;
  const seconds = amountOf(fields.get('firstTokenSeconds'));
  if (seconds === undefined) return undefined;
  const duration = Number(endTimeUnixNano - startTimeUnixNano) / 1e6;
  const isLater = duration > 0 && seconds * 1000 > duration && seconds <= duration;
  return isLater || IN_MILLISECONDS.test(scopeName ?? '') ? seconds : seconds * 1000;
}
