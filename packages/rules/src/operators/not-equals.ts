import { anyText, number } from '../operands.ts';
import { onNumber, onText, type Operator } from '../operator.ts';

export const notEquals: Operator = {
  id: 'not_equals',
  label: 'is not',
  negation: 'is',
  arity: 'one',
  types: {
    string: onText({
      parse: anyText,
      evaluate: (text, unwanted) => text !== unwanted,
      compile: (text, unwanted, bind) => `${text} != ${bind(unwanted, 'String')}`,
    }),
    number: onNumber({
      parse: number,
      evaluate: (seen, unwanted) => seen !== unwanted,
      compile: (seen, unwanted, bind) => `${seen} != ${bind(unwanted, 'Float64')}`,
    }),
  },
};
