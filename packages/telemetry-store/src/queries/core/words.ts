const MAX_WORDS = 20;

/** As the engine's `lower` does it, which the indexes are made with. */
const asciiLower = (text: string): string => text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase());

/** The words of a text as the token index knows them: runs of ASCII letters and digits and of anything beyond ASCII. */
export function wordsOf(text: string): readonly string[] {
  return [...new Set(asciiLower(text).match(/[a-z0-9\u0080-\u{10FFFF}]+/gu) ?? [])].slice(0, MAX_WORDS);
}
