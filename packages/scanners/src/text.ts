/** Line number (from 1) of an offset, for many offsets of one text. */
export function lineCounter(text: string): (offset: number) => number {
  const starts: number[] = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}

const SNIPPET_CHARS = 240;

/** The line around an offset, without control characters, bounded. */
export function lineAt(text: string, offset: number): string {
  const from = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  return text
    .slice(from, end < 0 ? undefined : end)
    .slice(0, SNIPPET_CHARS)
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
}

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const extension = (path: string): string =>
  /\.([a-z0-9]+)$/i.exec(baseName(path))?.[1]?.toLowerCase() ?? '';

const CODE = new Set([
  'py',
  'ts',
  'tsx',
  'js',
  'jsx',
  'mjs',
  'cjs',
  'mts',
  'cts',
  'go',
  'java',
  'kt',
  'rb',
  'rs',
  'cs',
  'php',
  'ipynb',
]);
export const isCode = (path: string): boolean => CODE.has(extension(path));
export const isPython = (path: string): boolean => extension(path) === 'py';
export const isScript = (path: string): boolean => /^[mc]?[jt]sx?$/.test(extension(path));
/** Tests and examples hold defects on purpose: severity falls there, they are not left out. */
export const isTest = (path: string): boolean =>
  /(^|\/)(tests?|__tests__|spec|fixtures?|testdata|examples?)\//i.test(path) ||
  /([._-]test|\.spec|_test)\.[a-z]+$/i.test(path);
/** Code that others wrote and tools generated. */
export const isVendored = (path: string): boolean =>
  /(^|\/)(node_modules|vendor|third_party|\.venv|venv|site-packages|dist|build|\.git)\//.test(path) ||
  /\.min\.(js|css)$/.test(path);

/** Code without comments and with strings kept, at the same offsets: what is commented out is no defect. */
export function withoutComments(path: string, text: string): string {
  const blank = (part: string): string => part.replaceAll(/[^\n]/g, ' ');
  return isPython(path) || extension(path) === 'rb'
    ? text.replaceAll(
        /("""[\s\S]{0,20000}?"""|'''[\s\S]{0,20000}?'''|"(?:\\.|[^"\\\n]){0,2000}"|'(?:\\.|[^'\\\n]){0,2000}')|#[^\n]*/g,
        (all, string: string | undefined) => string ?? blank(all),
      )
    : text.replaceAll(
        /("(?:\\.|[^"\\\n]){0,2000}"|'(?:\\.|[^'\\\n]){0,2000}'|`(?:\\.|[^`\\]){0,20000}`)|\/\/[^\n]*|\/\*[\s\S]{0,20000}?\*\//g,
        (all, string: string | undefined) => string ?? blank(all),
      );
}

/** A call with its arguments: `name(` to the matching parenthesis, at most `most` characters. */
export function callAt(text: string, open: number, most = 4_000): string {
  let depth = 0;
  let quote = '';
  for (let at = open; at < text.length && at < open + most; at += 1) {
    const character = text[at] ?? '';
    if (quote !== '') {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'" || character === '`') quote = character;
    else if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) {
      depth -= 1;
      if (depth === 0) return text.slice(open, at + 1);
    }
  }
  return text.slice(open, open + most);
}
