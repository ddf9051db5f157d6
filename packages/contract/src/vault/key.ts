/** Longest name of a secret. */
export const MAX_SECRET_KEY = 128;

/**
 * The name of a secret as it is kept and asked for: UPPER_SNAKE_CASE, so that it is an environment variable too.
 * `dbPassword`, `db-password` and `DB Password` are one name. Done twice it changes nothing more.
 */
export function secretKeyOf(text: string): string {
  return text
    .trim()
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll(/[\s.-]+/g, '_')
    .replaceAll(/[^A-Za-z0-9_]/g, '')
    .replaceAll(/_+/g, '_')
    .replaceAll(/^_|_$/g, '')
    .toUpperCase();
}

/** What is wrong with a name after {@link secretKeyOf}, as a sentence; undefined: nothing. */
export function secretKeyProblem(key: string): string | undefined {
  if (key === '') return 'A name needs letters: A to Z, digits and "_" are kept of it, and nothing is left.';
  if (/^[0-9]/.test(key)) {
    return `"${key.slice(0, 40)}" begins with a digit, which no environment variable may. Put a letter first.`;
  }
  if (key.length > MAX_SECRET_KEY) return `A name has at most ${MAX_SECRET_KEY} characters.`;
  return undefined;
}
