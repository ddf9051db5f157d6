import { CandelaError } from '@candela/kernel';
import { StoreError } from '../client/errors.ts';

/** Which rule a statement breaks. */
export type SqlRule =
  | 'size'
  | 'parse'
  | 'not_select'
  | 'table'
  | 'table_function'
  | 'function'
  | 'node'
  | 'settings'
  | 'format'
  | 'name'
  | 'engine';

/** A statement that is not run, or that the engine could not run as written. */
export class SqlRefusal extends CandelaError {
  readonly rule: SqlRule;

  constructor(rule: SqlRule, sentence: string, part?: string) {
    super('sql_refused', sentence, { details: part === undefined ? { rule } : { rule, part } });
    this.rule = rule;
  }
}

const SENTENCES: Readonly<Record<Exclude<SqlRule, 'engine'>, (part: string) => string>> = {
  size: () => 'The statement is empty or longer than 8,192 bytes. Write one shorter SELECT.',
  parse: () =>
    'This is not one SELECT that can be read. Write one statement in ClickHouse SQL, without placeholders.',
  not_select: () => 'Only SELECT may be run here.',
  table: (part) =>
    `"${part}" cannot be read here. Readable tables: otel_traces and the otel_metrics tables, by their bare names.`,
  table_function: (part) =>
    `The table function "${part}" is not available. Select from a table or a subquery.`,
  function: (part) => `The function "${part}" is not available here.`,
  node: (part) => `This part of SQL is not available here: ${part}.`,
  settings: () => 'SETTINGS cannot be given here. Leave the clause out.',
  format: () => 'FORMAT and INTO OUTFILE cannot be given here. Leave the clause out.',
  name: () => 'A name or text holds a line break. Write it without.',
};

const SHOWN = 80;

/** @param part what of the caller's own text broke the rule */
export function refuse(rule: Exclude<SqlRule, 'engine'>, part = ''): SqlRefusal {
  const shown = part.length > SHOWN ? `${part.slice(0, SHOWN)}…` : part;
  return new SqlRefusal(rule, SENTENCES[rule](shown), shown === '' ? undefined : shown);
}

/** By the engine's code: what is told. Its own text quotes values of rows, so at most an identifier of it is passed on. */
const CLASSES: ReadonlyMap<number, string> = new Map([
  [6, 'A text could not be read as a number or time. Use the ...OrNull form of the conversion.'],
  [27, 'A text could not be read in the type asked for. Use the ...OrNull form of the conversion.'],
  [38, 'A text could not be read as a date.'],
  [41, 'A text could not be read as a time. Use parseDateTimeBestEffortOrNull.'],
  [72, 'A text could not be read as a number. Use toFloat64OrNull or toInt64OrNull.'],
  [153, 'A number was divided by zero. Use intDivOrZero or nullIf.'],
  [42, 'A function was given the wrong number of arguments.'],
  [35, 'A function was given too many arguments.'],
  [43, 'A function was given an argument of a type that it does not take.'],
  [53, 'Two values of types that do not fit were compared or joined.'],
  [386, 'Values of types that have nothing in common were mixed.'],
  [60, 'A table of the statement does not exist. Readable tables: otel_traces and the otel_metrics tables.'],
  [62, 'The statement has an error of syntax.'],
  [182, 'PREWHERE cannot be used here. Use WHERE.'],
  [184, 'An aggregate stands where none may, or inside another one.'],
  [215, 'A column is neither in GROUP BY nor inside an aggregate.'],
  [207, 'A name is ambiguous: more than one table has it. Write it with the alias of its table.'],
  [352, 'A name is ambiguous: more than one table has it. Write it with the alias of its table.'],
  [179, 'Two expressions have the same alias.'],
  [403, 'The condition of this JOIN cannot be run. Join on equal columns.'],
  [427, 'The regular expression is not valid.'],
  [125, 'A scalar subquery returned more than one row. Add LIMIT 1 or an aggregate.'],
  [20, 'A subquery in IN has a different number of columns than what stands before it.'],
  [258, 'The parts of a UNION have different numbers of columns.'],
  [306, 'The statement is nested too deeply.'],
  [407, 'A decimal number is too large for its type.'],
  [128, 'A range or array is larger than it may be.'],
  [131, 'A text is larger than it may be.'],
]);
const UNKNOWN_IDENTIFIER = 47;
const UNKNOWN_FUNCTION = 46;

/**
 * What a failure of the engine becomes: a refusal with a class, and the identifier where it stands in the statement. What is the
 * platform's (busy, too expensive, away) passes as it is.
 * @param columns names that might have been meant
 */
export function explainFailure(thrown: unknown, statement: string, columns: readonly string[]): unknown {
  if (!(thrown instanceof StoreError) || thrown.code === 'overloaded') return thrown;
  if (thrown.code === 'query_too_expensive') return thrown;
  const { engineCode, message } = thrown;
  if (engineCode === UNKNOWN_IDENTIFIER || engineCode === UNKNOWN_FUNCTION) {
    const named =
      /[Uu]nknown (?:expression(?: or function)?(?: identifier)?|identifier|function) [`']?([\w.]+)/.exec(
        message,
      )?.[1];
    if (named !== undefined && statement.includes(named)) {
      const near = nearest(named, columns);
      const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
      return new SqlRefusal('engine', `"${named}" is not known here.${hint}`, named);
    }
    return new SqlRefusal('engine', 'A column of the statement does not exist.');
  }
  return new SqlRefusal(
    'engine',
    CLASSES.get(engineCode) ?? 'The statement could not be run. Check types and names of its columns.',
  );
}

function nearest(name: string, columns: readonly string[]): string | undefined {
  const bare = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  let best: { readonly column: string; readonly far: number } | undefined;
  for (const column of columns) {
    const far = distance(bare, column.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
    if (best === undefined || far < best.far) best = { column, far };
  }
  return best !== undefined && best.far <= Math.max(2, bare.length / 2) ? best.column : undefined;
}

/** Levenshtein's distance, row by row. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
