import { number } from '../operands.ts';
import { onNumber, type Operator } from '../operator.ts';

export const gte: Operator = {
  id: 'gte',
  label: 'is at least',
  negation: 'is less than',
  arity: 'one',
  types: {
    number: onNumber({
      parse: number,
      evaluate: (seen, bound) => seen >= bound,
      compile: (seen, bound, bind) => `${seen} >= ${bind(bound, 'Float64')}`,
    }),
  },
};
