import type { Filter, PanelInput } from '@candela/contract';
import { allOf, conditionsOf, type Labels, type Matcher, Unsaid, unquoted } from './matchers.ts';
import type { Said } from './promql.ts';

type LogQuery = Extract<PanelInput['query'], { kind: 'aggregate' }>;

const TEXT = String.raw`"(?:[^"\\]|\\.)*"|\`[^\`]*\``;
const WHOLE =
  /^(?:(?:topk\s*\(\s*(?<top>\d+)\s*,\s*)?(?<sum>sum)\s*(?:by\s*\((?<before>[^()]*)\)\s*)?\()?\s*(?<how>count_over_time|rate)\s*\(\s*\{(?<matchers>[^}]*)\}(?<line>[^[]*)\[[^\]]*\]\s*\)\s*\)?\s*(?:by\s*\((?<after>[^()]*)\)\s*)?\)?$/s;
const MATCHER = new RegExp(String.raw`\s*([A-Za-z_]\w*)\s*(=~|!~|!=|=)\s*(${TEXT})\s*(?:,|$)`, 'gy');
const STAGE = new RegExp(
  String.raw`\s*(?:(\|=|!=|\|~|!~)\s*(${TEXT})|\|\s*(json|logfmt|unpack)\b|\|\s*([A-Za-z_]\w*)\s*(=~|!~|!=|=)\s*(${TEXT}))\s*`,
  'gy',
);

function matchersOf(text: string): Matcher[] {
  const found: Matcher[] = [];
  MATCHER.lastIndex = 0;
  while (MATCHER.lastIndex < text.trimEnd().length) {
    const [, label = '', op = '=', value = '""'] = MATCHER.exec(text) ?? [];
    if (label === '') throw new Unsaid('its labels are not read here');
    found.push({ label, op: op as Matcher['op'], value: unquoted(value) });
  }
  return found;
}

/** What a line must hold. */
function stagesOf(text: string, labels: Labels): Filter[] {
  const found: Filter[] = [];
  const source = text.trim();
  STAGE.lastIndex = 0;
  while (STAGE.lastIndex < source.length) {
    const [whole, sign, words, , label, op, value = '""'] = STAGE.exec(source) ?? [];
    if (whole === undefined) throw new Unsaid('a stage of its pipeline has no match');
    if (sign !== undefined && words !== undefined) {
      const text = unquoted(words);
      if (text.includes('$')) throw new Unsaid('a variable is a part of the text it looks for');
      const regex = sign.endsWith('~');
      const is: Filter = { field: 'body', op: 'regex', value: regex ? text : escaped(text) };
      if (text !== '') found.push(sign.startsWith('!') ? { not: is } : is);
    } else if (label !== undefined)
      found.push(...conditionsOf([{ label, op: op as Matcher['op'], value: unquoted(value) }], labels));
  }
  return found;
}

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** A target of LogQL as a count of log records. @throws Unsaid with what cannot be said */
export function queryOfLogql(text: string, legend: readonly string[], labels: Labels): Said<LogQuery> {
  const groups = WHOLE.exec(text.trim())?.groups;
  if (groups === undefined)
    throw new Unsaid('of log records only counts can be drawn: count_over_time or rate, and sums of them');
  const named = groups['before'] ?? groups['after'];
  const by = named === undefined ? (groups['sum'] === undefined ? legend : []) : named.split(',');
  const fields = by.map((label) => label.trim()).filter((label) => label !== '');
  if (fields.length > 3) throw new Unsaid('it is grouped by more than three labels');
  const filters = [
    ...conditionsOf(matchersOf(groups['matchers'] ?? ''), labels),
    ...stagesOf(groups['line'] ?? '', labels),
  ];
  return {
    query: {
      kind: 'aggregate',
      body: {
        signal: 'logs',
        measures: ['count'],
        ...allOf(filters),
        groupBy: fields.map((label) => labels.field(label)),
        bucketSeconds: 'auto',
        limit: Math.min(50, Number(groups['top'] ?? 20)),
      },
    },
    note: groups['how'] === 'rate' ? 'It counts by bucket of time, not by second.' : undefined,
  };
}
