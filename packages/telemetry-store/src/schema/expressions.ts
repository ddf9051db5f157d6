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

/** All messages of a span in lower case: `hasToken(SPAN_CONTENT, 'refund')` for one lower-case word of [a-z0-9_]. */
export const SPAN_CONTENT = "lower(arrayStringConcat(mapValues(ContentAttributes), ' '))";

/** A log's body in lower case, for `hasToken`. */
export const LOG_CONTENT = 'lower(Body)';
