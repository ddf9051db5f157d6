import { type KeySource, resolveField } from '@candela/contract';
import { type FieldSql, numberSql, type Resolve } from '@candela/rules';
import { fieldExists, fieldText } from '../core/field-text.ts';
import { readKey } from '../core/map-key.ts';
import type { Params } from '../core/params.ts';
import type { Field } from '../core/source.ts';
import { SPAN_FIELDS, SPANS } from '../spans/span-fields.ts';

/** Names that rules of the reference product use: the columns as they are stored. `Duration` is in nanoseconds. */
const STORED: ReadonlyMap<string, FieldSql> = new Map([
  ['ServiceName', textColumn('ServiceName')],
  ['SpanName', textColumn('SpanName')],
  ['SpanKind', textColumn('SpanKind')],
  ['StatusCode', textColumn('StatusCode')],
  ['StatusMessage', textColumn('StatusMessage')],
  ['Duration', { present: '1', text: 'toString(Duration)', number: 'toFloat64(Duration)' }],
]);

/** What the conventions' keys stand for where a span of another convention does not have them. */
const PROMOTED: ReadonlyMap<string, Field> = new Map([
  ['gen_ai.system', SPAN_FIELDS.provider],
  ['gen_ai.provider.name', SPAN_FIELDS.provider],
  ['gen_ai.operation.name', SPAN_FIELDS.operation],
  ['gen_ai.request.model', SPAN_FIELDS.request_model],
  ['gen_ai.response.model', SPAN_FIELDS.model],
  ['gen_ai.agent.name', SPAN_FIELDS.agent],
  ['gen_ai.tool.name', SPAN_FIELDS.tool],
  ['gen_ai.conversation.id', SPAN_FIELDS.session],
  ['gen_ai.usage.input_tokens', SPAN_FIELDS.input_tokens],
  ['gen_ai.usage.output_tokens', SPAN_FIELDS.output_tokens],
  ['gen_ai.usage.cost', SPAN_FIELDS.cost],
  ['gen_ai.usage.total_cost', SPAN_FIELDS.cost],
]);

/**
 * How spans answer for the fields of rules. By the first that fits: a stored column (`ServiceName`), a short name of the
 * filter grammar in lower case (`model`, `duration_ms`), `attributes.<key>`, `resource.<key>`, `scope.<key>`; any other
 * name is a key of an attribute, then of the resource, then what the platform read under it in another convention.
 * Columns cannot tell empty from absent: there, empty is absent.
 */
export function spanFields(params: Params): Resolve {
  return (name) => {
    const stored = STORED.get(name);
    if (stored !== undefined) return stored;
    // Case counts in rules: `Model` is a key that somebody sends, not the short name.
    const resolved = name === name.toLowerCase() || name.includes('.') ? resolveField(name) : undefined;
    if (resolved?.kind === 'key' && resolved.source !== 'score')
      return keyField(resolved.source, resolved.key, params);
    const named = resolved?.kind !== 'named' ? undefined : namedField(SPANS.fields[resolved.name]);
    return named ?? bareKey(name, params);
  };
}

function textColumn(name: string): FieldSql {
  return { present: `${name} != ''`, text: `toString(${name})`, number: numberSql(`toString(${name})`) };
}

/** Undefined for fields that other signals have, and for those searched by words: they have no value to compare. */
function namedField(field: Field | undefined): FieldSql | undefined {
  const text = field === undefined ? undefined : fieldText(field);
  if (field === undefined || text === undefined) return undefined;
  if (field.kind !== 'number') return { present: fieldExists(field), text, number: numberSql(text) };
  const value = field.scale === 1 ? field.sql : `${field.sql} / ${field.scale}`;
  return { present: field.exists, text, number: `toFloat64(${value})` };
}

function keyField(source: KeySource, key: string, params: Params): FieldSql {
  const { has, value } = readKey(SPANS, source, key, params);
  const text = `toString(${value})`;
  return { present: has, text, number: numberSql(text) };
}

function bareKey(key: string, params: Params): FieldSql {
  const promoted = namedField(PROMOTED.get(key));
  const places = [
    keyField('attributes', key, params),
    keyField('resource', key, params),
    ...(promoted === undefined ? [] : [promoted]),
  ];
  const last = places.at(-1)?.text ?? "''";
  const choices = places.slice(0, -1).map(({ present, text }) => `${present}, ${text}`);
  const text = `multiIf(${choices.join(', ')}, ${last})`;
  return {
    present: `(${places.map(({ present }) => present).join(' OR ')})`,
    text,
    number: numberSql(text),
  };
}
