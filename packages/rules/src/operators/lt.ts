import { number } from '../operands.ts';
import { onNumber, type Operator } from '../operator.ts';

export const lt: Operator = {
  id: 'lt',
  label: 'is less than',
  negation: 'is not less than',
  arity: 'one',
  types: {
    number: onNumber({
      parse: number,
      evaluate: (seen, bound) => seen < bound,
      compile: (seen, bound, bind) => `${seen} < ${bind(bound, 'Float64')}`,
    }),
  },
};
