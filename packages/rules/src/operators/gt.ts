import { number } from '../operands.ts';
import { onNumber, type Operator } from '../operator.ts';

export const gt: Operator = {
  id: 'gt',
  label: 'is more than',
  negation: 'is not more than',
  arity: 'one',
  types: {
    number: onNumber({
      parse: number,
      evaluate: (seen, bound) => seen > bound,
      compile: (seen, bound, bind) => `${seen} > ${bind(bound, 'Float64')}`,
    }),
  },
};
