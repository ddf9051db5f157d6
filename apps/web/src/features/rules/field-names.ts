import { FIELDS, type FieldDefinition, resolveField } from '@candela/contract/filter';
import type { RuleDefinition } from '../../api/rules.ts';

export type DataType = RuleDefinition['groups'][number]['conditions'][number]['dataType'];

/** A field that a condition can be written on. */
export interface RuleField {
  readonly name: string;
  readonly dataType: DataType;
  readonly hint: string;
}

/** Columns by the names that rules of the reference product use. */
const STORED: ReadonlyMap<string, RuleField> = new Map(
  [
    { name: 'ServiceName', dataType: 'string', hint: 'As it is stored' } as const,
    { name: 'SpanName', dataType: 'string', hint: 'As it is stored' } as const,
    { name: 'SpanKind', dataType: 'string', hint: 'As it is stored: Client' } as const,
    { name: 'StatusCode', dataType: 'string', hint: 'As it is stored: Error' } as const,
    { name: 'StatusMessage', dataType: 'string', hint: 'As it is stored' } as const,
    { name: 'Duration', dataType: 'number', hint: 'Nanoseconds' } as const,
  ].map((field) => [field.name, field]),
);

const dataTypeOf = ({ type }: { type: string }): DataType =>
  type === 'number' || type === 'duration' || type === 'bytes'
    ? 'number'
    : type === 'boolean'
      ? 'boolean'
      : 'string';

/** The fields that every span has a name for; those that are searched by words cannot be compared. */
export const NAMED_FIELDS: readonly RuleField[] = [
  ...Object.entries<FieldDefinition>(FIELDS)
    .filter(([, { signals, type }]) => signals.includes('spans') && type !== 'text')
    .map(([name, definition]) => ({
      name,
      dataType: dataTypeOf(definition),
      hint: definition.description,
    })),
  ...STORED.values(),
];

/** The name under which rules know an attribute: its bare key, as applications send it, unless that means another field. */
export function ruleFieldOf(listed: { readonly field: string; readonly type: string }): RuleField {
  const key = listed.field.startsWith('attributes.') ? listed.field.slice('attributes.'.length) : undefined;
  const bare = key !== undefined && resolveField(key) === undefined && !STORED.has(key);
  return { name: bare ? key : listed.field, dataType: dataTypeOf(listed), hint: listed.type };
}
