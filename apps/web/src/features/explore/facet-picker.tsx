import {
  type FieldDefinition,
  FIELDS,
  isCountable,
  MAX_COUNTED_KEYS,
  type RecordKind,
} from '@candela/contract/filter';
import { isContentKey } from '@candela/semconv/content-keys';
import type { Scope } from '../../api/telemetry.ts';
import { FieldList } from './field-list.tsx';

const NAMED = Object.entries(FIELDS as Readonly<Record<string, FieldDefinition>>);

/** Fields of a signal that can be counted and are not yet, by a part of their names. */
const named = (signal: RecordKind, taken: ReadonlySet<string>, words: string): string[] =>
  NAMED.filter(
    ([name, field]) =>
      field.signals.includes(signal) &&
      isCountable(field) &&
      !taken.has(name) &&
      [name, ...(field.aliases ?? [])].some((one) => one.includes(words)),
  ).map(([name]) => name);

const isContent = (field: string): boolean =>
  field.startsWith('attributes.') && isContentKey(field.slice('attributes.'.length));

/** Finds a field or an attribute of the rows to make a facet of. */
export default function FacetPicker(props: {
  signal: RecordKind;
  scope: Scope;
  /** Fields that are facets. */
  taken: ReadonlySet<string>;
  full: boolean;
  onAdd: (field: string) => void;
}) {
  const { signal, taken } = props;
  return (
    <FieldList
      label="Find a field"
      autoFocus
      signal={signal}
      scope={props.scope}
      full={props.full ? `At most ${MAX_COUNTED_KEYS} custom facets: remove one first.` : undefined}
      named={(words) => named(signal, taken, words)}
      isOffered={(field) => !taken.has(field) && !isContent(field)}
      onAdd={props.onAdd}
    />
  );
}
