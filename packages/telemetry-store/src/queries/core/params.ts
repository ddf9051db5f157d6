import type { AttributeRead } from '../../client/types.ts';

export type ParamType =
  | 'String'
  | 'Int64'
  | 'Float64'
  | 'UInt64'
  | 'UInt32'
  | 'UInt8'
  | 'Array(UInt8)'
  | 'Array(UInt64)'
  | 'Array(Int64)'
  | 'Array(String)'
  | 'Array(Float64)';

const LAST = 2n ** 63n - 1n;
const FIRST = -(2n ** 63n);

/** Collects the values of one statement. Values only ever reach the engine through here, never as text in the SQL. */
export class Params {
  readonly values: Record<string, unknown> = {};
  /** Keys of maps that the statement reads. */
  readonly attributes: AttributeRead[] = [];
  private count = 0;

  /** The placeholder to write into the statement for `value`. */
  bind(
    value: string | number | bigint | readonly string[] | readonly number[] | readonly bigint[],
    type: ParamType,
  ): string {
    const name = `p${this.count++}`;
    this.values[name] = typeof value === 'bigint' ? value.toString() : value;
    return `{${name}:${type}}`;
  }

  /**
   * A point in time in nanoseconds, comparable with a `DateTime64(9)` column. One that such a column cannot hold is its end:
   * beyond it the engine would begin anew at the other end.
   */
  time(nanos: bigint): string {
    const held = nanos > LAST ? LAST : nanos < FIRST ? FIRST : nanos;
    return `fromUnixTimestamp64Nano(${this.bind(held, 'Int64')})`;
  }
}
