/** A regular expression (RE2) and what its matches become. */
type Fold = readonly [pattern: string, replacement: string];

/** Where a word may begin; RE2 cannot look behind, so the replacement puts it back. */
const BEFORE = `(^|[\\s'"\`(=\\[:,<])`;

/**
 * What changes from one occurrence of a failure to the next, in the order it is folded: what is longer or means more
 * comes before its parts.
 */
const FOLDS: readonly Fold[] = [
  [`\\s+`, ' '],
  [`\\b[A-Za-z][A-Za-z0-9+.-]*://[^\\s'"<>)\\]}]+`, '<url>'],
  [`[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+`, '<email>'],
  [`\\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\\b`, '<uuid>'],
  [`${BEFORE}(?:[A-Za-z]:\\\\|\\\\\\\\)[^\\s'":,;)]+(?::\\d+){0,2}`, `\\1<path>`],
  [`${BEFORE}~?(?:/[\\w.@%+~-]+){2,}/?(?::\\d+){0,2}`, `\\1<path>`],
  [`${BEFORE}(?:\\.{1,2}/)?(?:[\\w.@%+~-]+/)+[\\w.@%+~-]*\\.[A-Za-z]{1,5}(?::\\d+){0,2}`, `\\1<path>`],
  // A word with a hyphen and a digit: a model, an order number, a host.
  [`\\b[A-Za-z](?:[\\w./-]*-[\\w.-]*\\d(?:[\\w.-]*\\w)?|[\\w./-]*\\d[\\w./-]*-[\\w.-]*\\w)`, '<id>'],
  [
    `\\b\\d{4}-\\d{2}-\\d{2}(?:[T ]\\d{2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)?(?: ?(?:Z|UTC|[+-]\\d{2}:?\\d{2}))?)?`,
    '<time>',
  ],
  [`\\b\\d{1,2}:\\d{2}:\\d{2}(?:[.,]\\d+)?\\b`, '<time>'],
  [`\\b\\d{1,3}(?:\\.\\d{1,3}){3}(?::\\d+)?\\b`, '<ip>'],
  [`\\[?(?:[0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{1,4}(?:\\]:\\d+)?`, '<ip>'],
  [`\\b0[xX][0-9a-fA-F]+\\b`, '<hex>'],
  [
    `\\b\\d+(?:[.,_]\\d+)*(?:e[+-]?\\d+)?(?: ?(?:ns|us|ms|s|min|m|h|d|[kKMGT]i?B|B|[kKMG]|seconds?|minutes?|hours?|days?|bytes?))?\\b`,
    '<n>',
  ],
  [`\\b[0-9a-fA-F]{8,}\\b`, '<hex>'],
  // A word of six characters or more with a digit in it is somebody's id.
  [`\\b(?:[A-Za-z_-]*\\d[\\w-]{5,}|[\\w-]{5,}\\d[\\w-]*)`, '<id>'],
  [`\\d+`, '<n>'],
  [`(^|[\\s(=,:\\[])[-+]<n>`, `\\1<n>`],
  [`<n>(?:, ?<n>)+`, '<n>'],
  // A quoted text that held any of these is a value; other quoted texts are names that tell failures apart. No counted
  // repetitions: each would be unrolled when the pattern is compiled, and every insert compiles all of them.
  [`'[^'<]*<[a-z]+>[^']*'`, `'<value>'`],
  [`"[^"<]*<[a-z]+>[^"]*"`, `"<value>"`],
  [`\`[^\`<]*<[a-z]+>[^\`]*\``, '`<value>`'],
];

/** Characters of a message that its fingerprint is made of. */
const MOST = 500;

const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** A message without what differs between occurrences, as an expression: `order <n> of <email> refused`. */
export function foldedMessage(message: string): string {
  return FOLDS.reduce(
    (sql, [pattern, replacement]) => `replaceRegexpAll(${sql}, ${literal(pattern)}, ${literal(replacement)})`,
    `trim(BOTH ' ' FROM substringUTF8(${message}, 1, ${MOST}))`,
  );
}

/** Many libraries write the type once more before the message: with its module, or its last part alone. */
function withoutType(type: string, message: string): string {
  const last = `replaceRegexpOne(${type}, '^.*[.:/$\\\\\\\\]', '')`;
  return `multiIf(${type} = '', ${message},
    startsWith(${message}, concat(${type}, ': ')), substring(${message}, length(${type}) + 3),
    startsWith(${message}, concat(${last}, ': ')), substring(${message}, length(${last}) + 3), ${message})`;
}

/** The group that an exception belongs to, as a UInt64: its type and its folded message. */
export const exceptionFingerprint = (type: string, message: string): string =>
  `sipHash64(${type}, ${foldedMessage(withoutType(type, message))})`;
