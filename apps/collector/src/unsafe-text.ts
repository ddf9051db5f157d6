/**
 * Characters of a text from outside that must reach no terminal, log line or attribute: control characters, the line and
 * paragraph separators, and what turns the reading direction round.
 */
// oxlint-disable-next-line eslint/no-control-regex -- these are the ones
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const EVERY = new RegExp(UNSAFE.source, 'g');
const RUNS = new RegExp(`${UNSAFE.source}+`, 'g');

export const hasUnsafe = (text: string): boolean => UNSAFE.test(text);

/** Each of them as its escape: still told, and fit for one line. */
export const escapeUnsafe = (text: string): string =>
  text.replaceAll(EVERY, (character) =>
    character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A blank for each run of them. */
export const blankUnsafe = (text: string): string => text.replaceAll(RUNS, ' ');
