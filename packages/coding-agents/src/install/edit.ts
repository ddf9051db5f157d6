import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Entry } from '../agent.ts';
import { MARK } from './line.ts';

/** A person's file that cannot be edited; the message says where. */
export class MalformedFile extends Error {
  override readonly name = 'MalformedFile';
}

const BOM = '\uFEFF';

/** The text with the entries in it, once. Bytes are only put in: whatever was there before stays as it was. */
export function withEntries(text: string, entries: readonly Entry[]): string {
  let out = withoutEntries(text);
  if (parse(out) === undefined) out = `${out}{}\n`;
  for (const { path, value, set } of entries) {
    const root = parse(out);
    if (root === undefined) continue;
    const there = findNodeAtLocation(root, [...path]);
    if (there !== undefined && set === true) continue;
    if (there !== undefined) {
      if (there.type !== 'array') throw new MalformedFile(`${path.join('.')} is no list.`);
      out = insert(out, there, JSON.stringify(value));
      continue;
    }
    // The nearest object that exists gets the rest of the path as one property.
    let depth = path.length - 1;
    let parent = findNodeAtLocation(root, path.slice(0, depth));
    for (; parent === undefined && depth > 0; depth--)
      parent = findNodeAtLocation(root, path.slice(0, depth - 1));
    const inner = path
      .slice(depth + 1)
      .reduceRight<unknown>((held, key) => ({ [key]: held }), set === true ? value : [value]);
    out = insert(out, parent ?? root, `${JSON.stringify(path[depth])}: ${JSON.stringify(inner)}`);
  }
  return out;
}

/** The text without entries of ours, and without the lists and the object that held nothing else. */
export function withoutEntries(text: string): string {
  let out = text;
  for (;;) {
    const root = parse(out);
    const hooks = root === undefined ? undefined : findNodeAtLocation(root, ['hooks']);
    if (hooks !== undefined && hooks.type !== 'object') throw new MalformedFile('"hooks" is no object.');
    const isOurs = (node: Node) => out.slice(node.offset, node.offset + node.length).includes(MARK);
    const property = hooks?.children?.find(
      ({ children }) => children?.[1]?.type === 'array' && children[1].children?.some(isOurs),
    );
    const list = property?.children?.[1];
    const ours = list?.children?.find(isOurs);
    if (hooks === undefined || property === undefined || list === undefined || ours === undefined) return out;
    const isOnly = list.children?.length === 1;
    const isLast = isOnly && hooks.children?.length === 1;
    out = remove(out, isLast ? (hooks.parent ?? hooks) : isOnly ? property : ours);
  }
}

/** A member behind the last one of a list or an object. */
function insert(text: string, into: Node, member: string): string {
  const last = into.children?.at(-1);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  if (last === undefined) {
    const at = into.offset + 1;
    return `${text.slice(0, at)}${member}${text.slice(at)}`;
  }
  const at = last.offset + last.length;
  const lineStart = text.lastIndexOf('\n', last.offset) + 1;
  const before = text.slice(lineStart, last.offset).replace(BOM, '');
  // On a line of its own where the last one has one.
  const gap = lineStart > 0 && /^[ \t]*$/.test(before) ? `${eol}${before}` : ' ';
  return `${text.slice(0, at)},${gap}${member}${text.slice(at)}`;
}

/** Takes a member out together with the comma and space that `insert` put before it. */
function remove(text: string, member: Node): string {
  const siblings = member.parent?.children ?? [];
  const place = siblings.indexOf(member);
  const before = siblings[place - 1];
  const after = siblings[place + 1];
  const from = before === undefined ? member.offset : before.offset + before.length;
  const to = before === undefined && after !== undefined ? after.offset : member.offset + member.length;
  return text.slice(0, from) + text.slice(to);
}

/** The tree of a JSON text with comments; undefined of an empty one. Offsets count the byte order mark. @throws MalformedFile */
function parse(text: string): Node | undefined {
  const errors: ParseError[] = [];
  // The parser knows no byte order mark; a blank takes its place.
  const root = parseTree(text.replace(BOM, ' '), errors, {
    allowTrailingComma: true,
    allowEmptyContent: true,
  });
  const error = errors[0];
  if (error !== undefined) {
    const before = text.slice(0, error.offset).split('\n');
    throw new MalformedFile(
      `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${printParseErrorCode(error.error)}.`,
    );
  }
  if (root !== undefined && root.type !== 'object') throw new MalformedFile('it holds no object.');
  return root;
}
