import { type BoardVariable, type FillValues, fillStatement } from '@candela/contract';
import { fail } from '@candela/kernel';
import type { PanelScope } from './kinds.ts';

/**
 * Conditions of the chosen values: each variable with a field narrows to them, or leaves out what it is `without`. What is
 * not chosen has its initial values.
 * @throws bad_query when a name is none of the board, or a variable of one value is given several
 */
export function conditionsOf(
  variables: readonly BoardVariable[],
  chosen: Readonly<Record<string, readonly string[]>>,
): PanelScope['conditions'] {
  const known = new Map(variables.map((one) => [one.name, one]));
  for (const [name, values] of Object.entries(chosen)) {
    const variable = known.get(name);
    if (variable === undefined) throw fail('refused', { detail: `The board has no variable "${name}".` });
    if (!variable.multi && values.length > 1)
      throw fail('refused', { detail: `The variable "${name}" takes one value.` });
  }
  return variables.flatMap(({ name, field, initial, without = [], kind }): PanelScope['conditions'] => {
    const given = Object.hasOwn(chosen, name) ? (chosen[name] ?? []) : initial;
    const [op, values] = given.length > 0 ? (['in', given] as const) : (['not_in', without] as const);
    if (field === undefined || values.length === 0) return [];
    if (kind !== 'number') return [{ field, op, value: [...values] }];
    const numbers = values.map(Number);
    if (!numbers.every(Number.isFinite))
      throw fail('refused', { detail: `The variable "${name}" takes numbers.` });
    return [{ field, op, value: numbers }];
  });
}

/** Fills statements with the values of the variables. @throws refused with which one is not known or has no value */
export const filler =
  (values: FillValues): PanelScope['fill'] =>
  (query) => {
    try {
      return fillStatement(query, values);
    } catch (thrown) {
      if (thrown instanceof RangeError) throw fail('refused', { detail: thrown.message });
      throw thrown;
    }
  };
