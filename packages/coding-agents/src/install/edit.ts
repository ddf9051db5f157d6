import {
  applyEdits,
  type FormattingOptions,
  findNodeAtLocation,
  modify,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { Entry } from '../agent.ts';
import { MARK } from './line.ts';

/** A person's file that cannot be edited; the message says where. */
export class MalformedFile extends Error {
  override readonly name = 'MalformedFile';
}

const PARSE = { allowTrailingComma: true, disallowComments: false, allowEmptyContent: true };
const BOM = '\uFEFF';

/** The text with the entries in it; its comments, order and format stay. The same text where they are in it already. */
export function withEntries(text: string, entries: readonly Entry[]): string {
  const bom = text.startsWith(BOM) ? BOM : '';
  let out = text.slice(bom.length);
  check(out);
  const clean = withoutEntries(out);
  out = clean;
  const format = formatOf(out);
  for (const { path, value, set } of entries) {
    const root = parseTree(out, [], PARSE);
    const there = root === undefined ? undefined : findNodeAtLocation(root, [...path]);
    if (set === true) {
      if (there === undefined)
        out = applyEdits(out, modify(out, [...path], value, { formattingOptions: format }));
      continue;
    }
    if (there !== undefined && there.type !== 'array')
      throw new MalformedFile(`${path.join('.')} is no list.`);
    const edits =
      there === undefined
        ? modify(out, [...path], [value], { formattingOptions: format })
        : modify(out, [...path, there.children?.length ?? 0], value, {
            formattingOptions: format,
            isArrayInsertion: true,
          });
    out = applyEdits(out, edits);
  }
  return bom + out;
}

/** The text without entries of ours, and without the lists and objects that only they were in. */
export function withoutEntries(text: string): string {
  const bom = text.startsWith(BOM) ? BOM : '';
  let out = text.slice(bom.length);
  check(out);
  for (let changed = true; changed; ) {
    changed = false;
    const root = parseTree(out, [], PARSE);
    const hooks = root === undefined ? undefined : findNodeAtLocation(root, ['hooks']);
    for (const property of hooks?.children ?? []) {
      const [key, list] = property.children ?? [];
      if (list?.type !== 'array' || typeof key?.value !== 'string') continue;
      const ours =
        list.children?.findIndex((item) =>
          out.slice(item.offset, item.offset + item.length).includes(MARK),
        ) ?? -1;
      if (ours === -1) continue;
      const only = list.children?.length === 1;
      const last = only && hooks?.children?.length === 1;
      const path = last ? ['hooks'] : only ? ['hooks', key.value] : ['hooks', key.value, ours];
      out = applyEdits(out, modify(out, path, undefined, { formattingOptions: formatOf(out) }));
      changed = true;
      break;
    }
  }
  return bom + out;
}

function check(text: string): void {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, PARSE);
  const error = errors[0];
  if (error !== undefined) {
    const before = text.slice(0, error.offset).split('\n');
    throw new MalformedFile(
      `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${printParseErrorCode(error.error)}`,
    );
  }
  if (root !== undefined && root.type !== 'object') throw new MalformedFile('it holds no object.');
  const hooks = root === undefined ? undefined : findNodeAtLocation(root, ['hooks']);
  if (hooks !== undefined && hooks.type !== 'object') throw new MalformedFile('"hooks" is no object.');
}

function formatOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 4 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
