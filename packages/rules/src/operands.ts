import { BadValue } from './operator.ts';
import { RULE_LIMITS } from './rule.ts';
import { numberOf } from './values.ts';

/** The text as it is, the empty one too. */
export const anyText = (value: string): string => value.toWellFormed();

/** A text with something in it: every text contains the empty one, which is hardly what somebody means. */
export function someText(value: string): string {
  if (value === '') throw new BadValue('Give a text to look for.');
  return anyText(value);
}

/** The items between the commas, without the blanks around them; empty ones do not count. */
export function list(value: string): readonly string[] {
  const items = [
    ...new Set(
      anyText(value)
        .split(',')
        .map((item) => item.trim()),
    ),
  ].filter((item) => item !== '');
  if (items.length === 0) throw new BadValue('Give the values, with commas between them.');
  if (items.length > RULE_LIMITS.listItems) {
    throw new BadValue(`A list takes ${RULE_LIMITS.listItems} values; these are ${items.length}.`);
  }
  return items;
}

export function number(value: string): number {
  const text = value.trim();
  if (text === '') throw new BadValue('Give a number, like 0.5 or 1e6.');
  const parsed = numberOf(text);
  if (parsed === undefined)
    throw new BadValue(`"${text.slice(0, 50)}" is no number; write one like 0.5 or 1e6.`);
  return parsed;
}

export interface Range {
  readonly low: number;
  readonly high: number;
}

/** `low,high`, both included. */
export function range(value: string): Range {
  const parts = value.split(',');
  if (parts.length !== 2) throw new BadValue('Give two numbers with a comma between them: 0.5,1.');
  const [low, high] = parts.map(number) as [number, number];
  if (low > high) throw new BadValue(`The bounds are the wrong way round: ${low} is more than ${high}.`);
  return { low, high };
}

export function truth(value: string): string {
  const text = value.trim();
  if (text !== 'true' && text !== 'false') throw new BadValue('Give true or false.');
  return text;
}
