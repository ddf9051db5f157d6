import type { DataType, OperatorId } from './rule.ts';
import type { Seen } from './values.ts';

export type BindType = 'String' | 'Float64' | 'Array(String)';
/** Puts a value into the parameters of a statement and gives the placeholder: no value is ever text in the SQL. */
export type Bind = (value: string | number | readonly string[], type: BindType) => string;

/** How one field of a row is read in SQL. */
export interface FieldSql {
  /** Whether the row has the field; never null. */
  readonly present: string;
  /** Its text, never null; whatever it is where the field is absent. */
  readonly text: string;
  /** The number that this text is, null where it is none. */
  readonly number: string;
}

/** A value of a condition that its operator cannot use. */
export class BadValue extends Error {
  /** Where in the value, when that is known: an offset in UTF-16 units. */
  readonly position: number | undefined;

  constructor(message: string, position?: number) {
    super(message);
    this.position = position;
  }
}

/** A condition made ready: what it was parsed into is inside. Both ask about a field that is there. */
export interface Prepared {
  test(seen: Seen): boolean;
  /** The same as a condition that is never null. */
  sql(field: FieldSql, bind: Bind): string;
  /** Roughly what a test costs: cheap conditions are asked first. The answer does not depend on it. */
  readonly cost: number;
  /** It looks at the number: a text that is none fulfils nothing. */
  readonly numeric: boolean;
}

/** An operator on values of one type. */
export interface Comparison {
  /** @throws BadValue */
  prepare(value: string): Prepared;
}

/**
 * An operator: one file each, listed in `operators/index.ts`. What it means in the evaluator (`evaluate`) and in SQL
 * (`compile`) stands side by side, and the differential test of the telemetry store holds one against the other.
 */
export interface Operator {
  readonly id: OperatorId;
  /** Between field and value, as a person reads it: `model` *starts with* `gpt-4`. */
  readonly label: string;
  /** The same where it does not hold: `model` *does not start with* `gpt-4`. */
  readonly negation: string;
  /** How many values it takes: a list of them is separated by commas. */
  readonly arity: 'one' | 'two' | 'many';
  readonly types: Readonly<Partial<Record<DataType, Comparison>>>;
}

interface Definition<Value, Operand> {
  /** @throws BadValue */
  parse(value: string): Operand;
  evaluate(seen: Value, operand: Operand): boolean;
  /** `sql` is an expression of the value. */
  compile(sql: string, operand: Operand, bind: Bind): string;
  readonly cost?: number;
}

const CHEAP = 1;

/** A comparison of texts; also of booleans, which are the texts `true` and `false`. */
export function onText<Operand>(definition: Definition<string, Operand>): Comparison {
  return {
    prepare(value) {
      const operand = definition.parse(value);
      return {
        test: (seen) => definition.evaluate(seen.text, operand),
        sql: (field, bind) => definition.compile(field.text, operand, bind),
        cost: definition.cost ?? CHEAP,
        numeric: false,
      };
    },
  };
}

/** A comparison of numbers: whatever it is, a value that is no number does not fulfil it. */
export function onNumber<Operand>(definition: Definition<number, Operand>): Comparison {
  return {
    prepare(value) {
      const operand = definition.parse(value);
      return {
        test: (seen) => {
          const number = seen.number;
          return number !== undefined && definition.evaluate(number, operand);
        },
        sql: (field, bind) => `ifNull(${definition.compile(field.number, operand, bind)}, 0)`,
        cost: definition.cost ?? CHEAP,
        numeric: true,
      };
    },
  };
}
