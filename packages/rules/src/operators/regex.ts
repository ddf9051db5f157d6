import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';
import { someText } from '../operands.ts';
import { BadValue, onText, type Operator } from '../operator.ts';
import { RULE_LIMITS } from '../rule.ts';

/**
 * Steps of a compiled expression that repeats something. What both libraries take and the engine then has no memory for
 * is large Unicode classes, repeated hundreds of times. One that repeats nothing has about a step a character.
 */
const MAX_PROGRAM = 300;
const STEPS_BESIDE = 16;
/** The engine lets `.` match a line break, RE2 by itself does not: here it does not, unless `(?s)` says so. */
const DOT_STOPS_AT_LINES = '(?-s)';

/**
 * RE2 searches: anywhere in the text unless anchored, in time linear in its length, without look-around or references
 * back. `re2js` is its port, the engine has the original.
 */
export const regex: Operator = {
  id: 'regex',
  label: 'matches',
  negation: 'does not match',
  arity: 'one',
  types: {
    string: onText({
      parse: compileRegex,
      evaluate: (text, { expression }) => expression.test(text),
      compile: (text, { pattern }, bind) => `match(${text}, ${bind(DOT_STOPS_AT_LINES + pattern, 'String')})`,
      cost: 10,
    }),
  },
};

interface Expression {
  readonly pattern: string;
  readonly expression: RE2JS;
}

/** @throws BadValue */
function compileRegex(value: string): Expression {
  const pattern = someText(value);
  if (pattern.length > RULE_LIMITS.regexLength) {
    throw new BadValue(
      `A regular expression takes ${RULE_LIMITS.regexLength} characters; this has ${pattern.length}.`,
    );
  }
  // The engine ends its texts of patterns there; and nobody searches for it.
  if (pattern.includes('\0')) {
    throw new BadValue('A regular expression cannot hold the character NUL.', pattern.indexOf('\0'));
  }
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) throw inWords(error, pattern);
    if (error instanceof RE2JSException)
      throw new BadValue('The regular expression is too large. Write it shorter.');
    throw error;
  }
  if (expression.programSize() > Math.max(MAX_PROGRAM, pattern.length + STEPS_BESIDE)) {
    throw new BadValue('The regular expression is too large: repeat less, or write it shorter.');
  }
  return { pattern, expression };
}

function inWords(error: RE2JSSyntaxException, pattern: string): BadValue {
  const part = error.getPattern() ?? '';
  const at = part === '' || part === pattern ? -1 : pattern.indexOf(part);
  const where = part === '' ? '' : `: ${part.slice(0, 50)}`;
  return new BadValue(
    `Not a regular expression of RE2: ${error.getDescription()}${where}`,
    at < 0 ? undefined : at,
  );
}
