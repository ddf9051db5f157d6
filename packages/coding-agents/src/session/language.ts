const LANGUAGES: readonly (readonly [language: string, endings: string])[] = [
  ['typescript', 'ts tsx mts cts'],
  ['javascript', 'js jsx mjs cjs'],
  ['python', 'py pyi ipynb'],
  ['go', 'go'],
  ['rust', 'rs'],
  ['java', 'java'],
  ['kotlin', 'kt kts'],
  ['c', 'c h'],
  ['cpp', 'cc cpp cxx hpp hh cu cuh'],
  ['csharp', 'cs'],
  ['ruby', 'rb'],
  ['php', 'php'],
  ['swift', 'swift'],
  ['scala', 'scala'],
  ['shell', 'sh bash zsh fish'],
  ['sql', 'sql'],
  ['html', 'html htm'],
  ['css', 'css scss less'],
  ['json', 'json jsonc'],
  ['yaml', 'yaml yml'],
  ['toml', 'toml'],
  ['markdown', 'md mdx'],
  ['terraform', 'tf'],
];
const BY_ENDING = new Map(
  LANGUAGES.flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language])),
);

/** The language of a file by its ending; `other` where it is none of those known. */
export function languageOf(path: string): string {
  return BY_ENDING.get(/\.([A-Za-z0-9]{1,10})$/.exec(path)?.[1]?.toLowerCase() ?? '') ?? 'other';
}
