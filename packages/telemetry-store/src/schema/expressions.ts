/**
 * Expressions the skip indexes are built on. A condition uses an index only when it repeats the expression word for
 * word, so queries take them from here; the conformance suite asks the engine whether each is used.
 */

const pairs = (map: string): string =>
  `arrayMap((k, v) -> concat(k, '=', v), mapKeys(${map}), mapValues(${map}))`;

/** `key=value` of every span attribute: `has(SPAN_ATTRIBUTE_PAIRS, 'http.route=/chat')`. Content is not in it. */
export const SPAN_ATTRIBUTE_PAIRS: string = pairs('SpanAttributes');

/** `key=value` of every log attribute. */
export const LOG_ATTRIBUTE_PAIRS: string = pairs('LogAttributes');

/**
 * All text of a span that a person may search: name, status message, messages; in lower case. For one word of
 * `[a-z0-9]`: `hasToken(SPAN_TEXT, 'refund')`.
 */
export const SPAN_TEXT =
  "lower(concat(SpanName, ' ', StatusMessage, ' ', arrayStringConcat(mapValues(ContentAttributes), ' ')))";

/** A log's body in lower case, for `hasToken`. */
export const LOG_TEXT = 'lower(Body)';

/** First letters by which a severity's text is known where its number is missing, and the position they stand for. */
const SEVERITY_WORDS: readonly [position: number, words: readonly string[]][] = [
  [1, ['trace', 'verbose', 'finest', 'finer', 'silly']],
  [2, ['debug', 'dbg', 'fine', 'config']],
  [3, ['info', 'notice', 'log', 'http', 'success']],
  [4, ['warn', 'wrn']],
  [5, ['err', 'severe', 'fail']],
  [6, ['fatal', 'crit', 'alert', 'emerg', 'panic', 'dpanic']],
];

const textSeverity = SEVERITY_WORDS.map(
  ([position, words]) => `match(lower(SeverityText), '^(?:${words.join('|')})'), ${position}`,
).join(', ');

/**
 * Severity of a log record as its position in the contract's `SEVERITIES`: 0 unset, 1 trace, ... 6 fatal. By its
 * number (1 to 24 in groups of four); by its text where it has none. OpenTelemetry's `ERROR3` is an error.
 */
export const LOG_SEVERITY = `if(SeverityNumber > 0, toUInt8(intDiv(SeverityNumber + 3, 4)), toUInt8(multiIf(${textSeverity}, 0)))`;
