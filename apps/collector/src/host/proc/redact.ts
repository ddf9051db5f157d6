/** What stands in the place of a secret. */
export const REDACTED = '[redacted]';

/** Words of an option's or variable's name that say: what follows is a secret. */
const SECRET_WORDS: ReadonlySet<string> = new Set([
  'token',
  'tokens',
  'key',
  'keys',
  'apikey',
  'apikeys',
  'accesskey',
  'secretkey',
  'authtoken',
  'accesstoken',
  'password',
  'passwords',
  'passwd',
  'passphrase',
  'pass',
  'pwd',
  'secret',
  'secrets',
  'credential',
  'credentials',
  'auth',
  'authorization',
  'bearer',
  'cookie',
  'dsn',
]);

/** Last words of names that say something of a secret, and are none: `--key-file`, `--pad-token-id`, `--auth-type`. */
const HARMLESS_ENDS: ReadonlySet<string> = new Set([
  'file',
  'path',
  'dir',
  'id',
  'ids',
  'name',
  'type',
  'mode',
  'size',
  'length',
  'len',
  'limit',
  'count',
  'ttl',
  'timeout',
]);

const TOKEN_WORDS = /^tokens?$/;
const SMALL_NUMBER = /^\d{1,7}$/;

/** Secrets that are known by their looks, and passwords in addresses. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z0-9+.-]{1,31}:\/\/)[^\s/@'"]{1,512}@/gi, `$1${REDACTED}@`],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, REDACTED],
  [/\b(?:sk|pk|rk)[-_][\w-]{12,}/g, REDACTED],
  [/\b(?:hf|ghp|gho|ghs|ghu|glpat|npm|dop|nvapi)[-_][\w-]{12,}/g, REDACTED],
  [/\bgithub_pat_\w{12,}/g, REDACTED],
  [/\bxox[abeoprs]-[\w-]{8,}/g, REDACTED],
  [/\bAKIA[0-9A-Z]{16}\b/g, REDACTED],
  [/\bAIza[\w-]{30,}/g, REDACTED],
];

type Verdict = 'secret' | 'token' | 'no';

/** Whether a name (`--hf-token`, `OPENAI_API_KEY`, `dbPassword`) is that of a secret. */
function verdictOf(name: string): Verdict {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  if (words.length === 0 || HARMLESS_ENDS.has(words.at(-1) ?? '')) return 'no';
  const found = words.filter((word) => SECRET_WORDS.has(word));
  if (found.length === 0) return 'no';
  return found.every((word) => TOKEN_WORDS.test(word)) ? 'token' : 'secret';
}

/** Numbers of tokens are what language models are told all the time. */
const isSecret = (verdict: Verdict, value: string): boolean =>
  value !== '' && (verdict === 'secret' || (verdict === 'token' && !SMALL_NUMBER.test(value)));

const OPTION = /^['"]?--?[A-Za-z][\w.-]*$/;
const ASSIGNMENT = /^(['"]?(?:--?)?[A-Za-z_][\w.-]{0,127}[=:])(.+)$/s;

/** One word: `--token=x`, `TOKEN=x`, or a secret by its looks. */
function redactWord(word: string): string {
  const match = ASSIGNMENT.exec(word);
  const name = match?.[1] ?? '';
  // `https://` is no name of something.
  if (match !== null && !match[2]?.startsWith('//') && isSecret(verdictOf(name), match[2] ?? '')) {
    return name + REDACTED;
  }
  return word;
}

/** Words with the blanks between them kept; the value of an option may be the next word. */
function redactWords(words: readonly string[]): string[] {
  let pending: Verdict = 'no';
  return words.map((word) => {
    if (word.trim() === '') return word;
    const verdict = pending;
    pending = OPTION.test(word) ? verdictOf(word) : 'no';
    if (verdict !== 'no' && !word.startsWith('-') && isSecret(verdict, word)) return REDACTED;
    return redactWord(word);
  });
}

/**
 * Arguments of a program without the secrets among them: values of options and variables whose names say so
 * (`--api-key x`, `--api-key=x`, `API_KEY=x`), and what looks like a secret wherever it stands, in a command within an
 * argument (`sh -c '...'`) too. What no name and no looks give away stays.
 */
export function redactArguments(args: readonly string[]): string[] {
  return redactWords(args).map((arg) => {
    const inner = /\s/.test(arg) ? redactWords(arg.split(/(\s+)/)).join('') : arg;
    return SHAPES.reduce((text, [shape, put]) => text.replaceAll(shape, put), inner);
  });
}
