import { anyText, number, truth } from '../operands.ts';
import { onNumber, onText, type Operator } from '../operator.ts';

export const equals: Operator = {
  id: 'equals',
  label: 'is',
  negation: 'is not',
  arity: 'one',
  types: {
    string: onText({
      parse: anyText,
      evaluate: (text, wanted) => text === wanted,
      compile: (text, wanted, bind) => `${text} = ${bind(wanted, 'String')}`,
    }),
    number: onNumber({
      parse: number,
      evaluate: (seen, wanted) => seen === wanted,
      compile: (seen, wanted, bind) => `${seen} = ${bind(wanted, 'Float64')}`,
    }),
    // The texts of the two booleans: `True` and `1` are neither.
    boolean: onText({
      parse: truth,
      evaluate: (text, wanted) => text === wanted,
      compile: (text, wanted, bind) => `${text} = ${bind(wanted, 'String')}`,
    }),
  },
};
