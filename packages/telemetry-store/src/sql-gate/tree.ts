import { isAllowedFunction } from './functions.ts';
import { refuse } from './refusal.ts';

/** More nodes than this are no question of a person. */
const MAX_NODES = 4_000;

/** Kinds of nodes as `EXPLAIN AST` names them. */
const ALLOWED_NODES: ReadonlySet<string> = new Set([
  'SelectWithUnionQuery',
  'SelectIntersectExceptQuery',
  'SelectQuery',
  'ExpressionList',
  'Identifier',
  'TableIdentifier',
  'Function',
  'Literal',
  'Asterisk',
  'QualifiedAsterisk',
  'ColumnsListMatcher',
  'QualifiedColumnsListMatcher',
  'ColumnsRegexpMatcher',
  'QualifiedColumnsRegexpMatcher',
  'ColumnsTransformerList',
  'ColumnsExceptTransformer',
  'ColumnsReplaceTransformer',
  'ColumnsReplaceTransformer::Replacement',
  'TablesInSelectQuery',
  'TablesInSelectQueryElement',
  'TableExpression',
  'TableJoin',
  'ArrayJoin',
  'Subquery',
  'WithElement',
  'OrderByElement',
  'WindowDefinition',
  'WindowListElement',
  'InterpolateElement',
]);

/** What a part is called in a sentence. */
const PART_NAMES: ReadonlyMap<string, string> = new Map([
  ['ColumnsApplyTransformer', 'APPLY'],
  ['SampleRatio', 'SAMPLE'],
  ['QueryParameter', 'placeholders'],
]);

const BARE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MEMBERSHIP: ReadonlySet<string> = new Set([
  'in',
  'notin',
  'globalin',
  'globalnotin',
  'nullin',
  'notnullin',
  'globalnullin',
  'globalnotnullin',
]);

interface Node {
  readonly kind: string;
  /** What follows the kind: a name, a literal. */
  readonly rest: string;
  readonly depth: number;
  readonly parent: Node | undefined;
  children: number;
  readonly position: number;
}

/**
 * Checks a syntax tree, a node a line and indented by a space a level, against what may be asked. A name cannot pretend to be a
 * node: a line break in one is refused before.
 * @returns names of tables (and CTEs) that it selects from
 * @throws SqlRefusal
 */
export function checkTree(lines: readonly string[]): ReadonlySet<string> {
  if (lines.length > MAX_NODES) throw refuse('size');
  if (lines.some((line) => /[\n\r\u2028\u2029]/.test(line))) throw refuse('name');
  const tables = new Set<string>();
  const open: Node[] = [];
  for (const line of lines) {
    const node = nodeOf(line, open);
    checkNode(node, tables);
    open.length = node.depth;
    open.push(node);
  }
  return tables;
}

function nodeOf(line: string, open: readonly Node[]): Node {
  const text = line.trimStart();
  const depth = line.length - text.length;
  const space = text.indexOf(' ');
  const kind = space === -1 ? text : text.slice(0, space);
  const rest = space === -1 ? '' : text.slice(space + 1);
  const parent = depth === 0 ? undefined : open[depth - 1];
  if (depth > 0 && parent === undefined) throw refuse('node', kind);
  const node = { kind, rest, depth, parent, children: 0, position: parent?.children ?? 0 };
  if (parent !== undefined) parent.children += 1;
  return node;
}

function checkNode(node: Node, tables: Set<string>): void {
  const { kind, rest, depth, parent } = node;
  if (depth === 0 && (kind !== 'SelectWithUnionQuery' || node.position > 0)) throw refuse('not_select');
  // What belongs to the whole statement stands beside its list of selects: format, file, settings.
  if (depth === 1 && node.position > 0) throw refuse(kind === 'Set' ? 'settings' : 'format');
  if (kind === 'Set') throw refuse('settings');
  if (parent?.kind === 'TableExpression' && kind === 'Function') throw refuse('table_function', nameOf(rest));
  if (!ALLOWED_NODES.has(kind)) throw refuse('node', PART_NAMES.get(kind) ?? kind);
  if (kind === 'Function') {
    const name = nameOf(rest);
    if (!isAllowedFunction(name)) throw refuse('function', name);
  } else if (kind === 'TableIdentifier') {
    const name = nameOf(rest);
    if (!BARE_NAME.test(name)) throw refuse('table', name);
    tables.add(name);
  } else if (kind === 'Identifier' && node.position === 1) {
    const call = parent?.parent;
    const isSet =
      parent?.kind === 'ExpressionList' &&
      call?.kind === 'Function' &&
      MEMBERSHIP.has(nameOf(call.rest).toLowerCase());
    // A name after IN may be a table.
    if (isSet && !BARE_NAME.test(nameOf(rest))) throw refuse('table', nameOf(rest));
  }
}

/** The name that follows a kind, without alias and number of children. */
const nameOf = (rest: string): string => rest.replace(/ \((?:alias |children ).*$/, '').trim();
