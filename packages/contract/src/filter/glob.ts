/** A pattern as literals around stars: `['gpt-', '']` is `gpt-*`. One piece means there is no star. */
export type GlobPieces = readonly string[];

/** Splits a pattern at its stars; `\` takes the next character literally. */
export function parseGlob(pattern: string): GlobPieces {
  const pieces = [''];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '*') {
      if (pieces.length === 1 || pieces.at(-1) !== '') pieces.push('');
    } else {
      const literal = character === '\\' && at + 1 < pattern.length ? pattern[++at] : character;
      pieces[pieces.length - 1] += literal ?? '';
    }
  }
  return pieces;
}

/** The pattern of which `parseGlob` gives these pieces. */
export function printGlob(pieces: GlobPieces): string {
  return pieces.map((piece) => piece.replaceAll(/[\\*]/g, (character) => `\\${character}`)).join('*');
}
