import { number } from '../operands.ts';
import { onNumber, type Operator } from '../operator.ts';

export const lte: Operator = {
  id: 'lte',
  label: 'is at most',
  negation: 'is more than',
  arity: 'one',
  types: {
    number: onNumber({
      parse: number,
      evaluate: (seen, bound) => seen <= bound,
      compile: (seen, bound, bind) => `${seen} <= ${bind(bound, 'Float64')}`,
    }),
  },
};
