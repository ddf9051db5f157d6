import { diffLines, structuredPatch } from 'diff';
import type { FileEdit } from './types.ts';

/** Longer texts are counted by their number of lines: a diff of them would hold the process. */
const DIFF_BYTES = 2 << 20;

/** Lines of a text as git counts them: a last line without a line end counts. */
export function lineCount(text: string): number {
  if (text === '') return 0;
  const ends = text.split('\n').length - 1;
  return text.endsWith('\n') ? ends : ends + 1;
}

/** Lines added and removed from one text to another, as `git diff --numstat` counts them, with the diff. */
export function editBetween(path: string, before: string, after: string): FileEdit {
  if (before === '' || after === '' || before.length + after.length > DIFF_BYTES) {
    return {
      path,
      added: lineCount(after),
      removed: lineCount(before),
      diff: before === '' ? prefixed('+', after) : '',
    };
  }
  let added = 0;
  let removed = 0;
  for (const part of diffLines(before, after)) {
    if (part.added) added += part.count;
    else if (part.removed) removed += part.count;
  }
  const { hunks } = structuredPatch(path, path, before, after, undefined, undefined, { context: 3 });
  return { path, added, removed, diff: hunks.map((hunk) => hunkText(hunk)).join('\n') };
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}
export function hunkText({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string {
  return [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines].join('\n');
}

const prefixed = (mark: string, text: string) =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${mark}${line}`)
    .join('\n');

/** Counts the `+` and `-` lines of a unified diff; its head is not counted. */
export function editOfDiff(path: string, diff: string): FileEdit {
  let added = 0;
  let removed = 0;
  for (const line of diff.split('\n')) {
    if (/^(?:\+\+\+ |--- |diff |index )/.test(line) && !inHunk(line)) continue;
    if (line.startsWith('+')) added += 1;
    else if (line.startsWith('-')) removed += 1;
  }
  return { path, added, removed, diff };
}
const inHunk = (line: string) =>
  !/^(?:\+\+\+ |--- )(?:[ab]\/|\/|[\w.]|\t)/.test(line) && !/^(?:diff|index) /.test(line);

/** The files of a patch in Codex's form: `*** Update File: x`, then hunks of `+`, `-` and context. */
export function editsOfPatch(patch: string): FileEdit[] {
  const edits: FileEdit[] = [];
  let open: { path: string; added: number; removed: number; lines: string[] } | undefined;
  const close = () => {
    if (open !== undefined) {
      const { lines, ...counts } = open;
      edits.push({ ...counts, diff: lines.join('\n') });
    }
    open = undefined;
  };
  for (const line of patch.split('\n')) {
    const head = /^\*\*\* (?:Add|Update|Delete) File: (.{1,4096})$/.exec(line);
    if (head?.[1] !== undefined) {
      close();
      open = { path: head[1].trim(), added: 0, removed: 0, lines: [] };
    } else if (line.startsWith('*** End Patch')) close();
    else if (open !== undefined && !line.startsWith('*** ')) {
      if (line.startsWith('+')) open.added += 1;
      if (line.startsWith('-')) open.removed += 1;
      open.lines.push(line);
    }
  }
  close();
  return edits;
}
