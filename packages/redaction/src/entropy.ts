/** Words that look drawn at random, by the entropy of their characters. */

/** Bits a character; what a key in base64 has, and a long identifier has not. */
const LEAST_ENTROPY = 4.2;
const WORD = /(?<![A-Za-z0-9+/_=.-])[A-Za-z0-9+/_-]{32,200}={0,2}(?![A-Za-z0-9+/_=.-])/g;
const HEX = /^[0-9a-fA-F-]+$/;

/** Replaces words of 32 to 200 characters that mix cases and digits at random. Hashes in hexadecimal stay. */
export function randomWords(text: string): string {
  return text.replace(WORD, (word, at: number) => {
    // Integrity hashes of lock files and trace ids are public.
    if (HEX.test(word) || /sha(?:1|256|384|512)-$/.test(text.slice(Math.max(0, at - 7), at))) return word;
    if (/^sha(?:1|256|384|512)-/.test(word)) return word;
    if ((word.match(/[0-9]/g) ?? []).length < 3 || !/[a-z]/.test(word) || !/[A-Z]/.test(word)) return word;
    // A path or an identifier consists of words.
    const inWords = word.match(/[A-Z]?[a-z]{3,}/g)?.join('').length ?? 0;
    if (inWords > word.length / 2) return word;
    if (word.split(/[/_-]/).length > 3 || /[a-z]{9}/.test(word)) return word;
    return entropy(word) >= LEAST_ENTROPY ? '[REDACTED:random]' : word;
  });
}

/** Shannon entropy in bits a character. */
function entropy(word: string): number {
  const counts = new Map<string, number>();
  for (const character of word) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / word.length) * Math.log2(count / word.length);
  return bits;
}
