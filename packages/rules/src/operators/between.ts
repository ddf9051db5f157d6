import { range } from '../operands.ts';
import { onNumber, type Operator } from '../operator.ts';

export const between: Operator = {
  id: 'between',
  label: 'is between',
  negation: 'is not between',
  arity: 'two',
  types: {
    number: onNumber({
      parse: range,
      evaluate: (seen, { low, high }) => seen >= low && seen <= high,
      compile: (seen, { low, high }, bind) =>
        `${seen} >= ${bind(low, 'Float64')} AND ${seen} <= ${bind(high, 'Float64')}`,
    }),
  },
};
