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
