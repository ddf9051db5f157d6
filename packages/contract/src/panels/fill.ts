import type { BoardVariable } from '../boards/schemas.ts';

/** Values that placeholders of a statement stand for. Times are epoch milliseconds. */
export interface FillValues {
  readonly variables: readonly Pick<BoardVariable, 'name' | 'label' | 'kind' | 'multi' | 'initial'>[];
  readonly chosen: Readonly<Record<string, readonly string[]>>;
  readonly from: number;
  readonly to: number;
}

/** Whether a condition on that field says something of metrics: other fields belong to spans and logs. */
export const isOfMetrics = (field: string): boolean =>
  /^(?:service|environment|(?:resource|attributes|scope)\..+)$/.test(field);

const PLACE = /\{\{\{?\s*filter\.([\w.]+)\s*\}\}\}?/g;
/** Texts, quoted names and comments, then what stands between them. */
const TOKENS =
  /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S])*"|`(?:[^`\\]|\\[\s\S])*`|--[^\n]*|\/\*[\s\S]*?\*\/|\{\{\{?\s*filter\.[\w.]+\s*\}\}\}?/g;
const OPTIONAL = /\[\[((?:(?!\[\[|\]\])[\s\S])*)\]\]/g;

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`).replaceAll('\0', '');
const quoted = (text: string): string => `'${escaped(text)}'`;

/** The names that a statement has placeholders for. */
export const filledNames = (query: string): string[] => [
  ...new Set(Array.from(query.matchAll(PLACE), ([, name = '']) => name)),
];

/**
 * A statement with its placeholders replaced: outside of quotes by a quoted literal (a tuple where the variable takes
 * several values, a number where it takes numbers), within quotes by the escaped text. A part in `[[ ]]` is left out
 * while a variable in it has no value. What comes out still goes through the gate of SQL.
 * @throws RangeError whose message says which name is not known or has no value
 */
export function fillStatement(query: string, values: FillValues): string {
  const byName = new Map(values.variables.map((one) => [one.name, one]));
  const textsOf = (name: string): readonly string[] => {
    if (name === 'timeLimit.start') return [new Date(values.from).toISOString()];
    if (name === 'timeLimit.end') return [new Date(values.to).toISOString()];
    const variable = byName.get(name);
    if (variable === undefined) throw new RangeError(`The dashboard has no variable "${name}".`);
    return Object.hasOwn(values.chosen, name) ? (values.chosen[name] ?? []) : variable.initial;
  };
  const given = (name: string): readonly string[] => {
    const texts = textsOf(name);
    if (texts.length > 0) return texts;
    throw new RangeError(
      `Choose a value of "${byName.get(name)?.label ?? name}", or put the part of the statement that needs it in [[ ]].`,
    );
  };
  const literal = (name: string): string => {
    const { kind, multi } = byName.get(name) ?? { kind: 'text', multi: false };
    const one = (text: string): string => {
      if (kind !== 'number') return quoted(text);
      const number = Number(text);
      if (text.trim() === '' || !Number.isFinite(number))
        throw new RangeError(`The variable "${name}" takes numbers.`);
      return String(number);
    };
    const all = given(name).map(one);
    return multi ? `(${all.join(', ')})` : (all[0] ?? '');
  };
  const chosen = query.replaceAll(OPTIONAL, (whole, part: string) => {
    const names = filledNames(part);
    if (names.length === 0) return whole;
    return names.every((name) => textsOf(name).length > 0) ? part : '';
  });
  return chosen.replaceAll(TOKENS, (token) => {
    if (token.startsWith('{{')) return literal(filledNames(token)[0] ?? '');
    if (!token.startsWith("'")) return token;
    return token.replaceAll(PLACE, (_place, name: string) => escaped(given(name).join(',')));
  });
}
