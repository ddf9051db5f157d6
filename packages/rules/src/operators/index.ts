import type { Operator } from '../operator.ts';
import type { DataType } from '../rule.ts';
import { between } from './between.ts';
import { contains } from './contains.ts';
import { endsWith } from './ends-with.ts';
import { equals } from './equals.ts';
import { gt } from './gt.ts';
import { gte } from './gte.ts';
import { isIn } from './in.ts';
import { lt } from './lt.ts';
import { lte } from './lte.ts';
import { notContains } from './not-contains.ts';
import { notEquals } from './not-equals.ts';
import { notIn } from './not-in.ts';
import { regex } from './regex.ts';
import { startsWith } from './starts-with.ts';

/** Every operator, in the order a person chooses from; the explicit registry. */
export const OPERATORS: readonly Operator[] = [
  equals,
  notEquals,
  contains,
  notContains,
  startsWith,
  endsWith,
  regex,
  isIn,
  notIn,
  gt,
  gte,
  lt,
  lte,
  between,
];

const BY_ID: ReadonlyMap<string, Operator> = new Map(OPERATORS.map((operator) => [operator.id, operator]));

/** The operator of that id; undefined for other texts, which old rows and callers may hold. */
export const operatorOf = (id: string): Operator | undefined => BY_ID.get(id);

/** Operators that values of the type take. */
export const operatorsFor = (type: DataType): readonly Operator[] =>
  OPERATORS.filter((operator) => operator.types[type] !== undefined);
