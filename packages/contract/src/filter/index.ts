/** The filter grammar alone, without the schemas: what a browser needs to check a search text. */
export * from './ast.ts';
export { canonicalFieldName, canonicalFilter, fieldType, requireField } from './canonical.ts';
export * from './complete.ts';
export * from './fields.ts';
export { type GlobPieces, parseGlob } from './glob.ts';
export * from './keys.ts';
export * from './parse.ts';
export * from './records.ts';
export { printFieldName, printFilter, printValue } from './print.ts';
export * from './severities.ts';
export { searchTerms } from './terms.ts';
export { checkRegex, type RegexTrouble } from './regex.ts';
export type { FilterTextError } from './trouble.ts';
export * from './units.ts';
export { asciiLower, isUnspaced, wordsOf } from './words.ts';
