/** What a failed span has as its type when it names none: it says nothing to a reader. */
const UNNAMED = '_OTHER';

/** What an exception is called: its type, or that it has none. */
export const typeName = (type: string): string =>
  type === '' ? 'Exception without a type' : type === UNNAMED ? 'Failure without a type' : type;

interface Failed {
  readonly errorType: string | null;
  readonly statusMessage: string | null;
}

/** The type of error that a span names, if it names one. */
export const namedError = ({ errorType }: Failed): string | null =>
  errorType === UNNAMED || errorType === '' ? null : errorType;

/** Why a span failed, in one line: its own message first, then the type of error. Undefined when it says neither. */
export function failureWords(failed: Failed): string | undefined {
  const message = failed.statusMessage ?? '';
  const type = namedError(failed) ?? '';
  if (message === '' || type === '' || message.includes(type)) return message || type || undefined;
  return `${message} (${type})`;
}
