import { list } from '../operands.ts';
import { onText, type Operator } from '../operator.ts';

export const isIn: Operator = {
  id: 'in',
  label: 'is one of',
  negation: 'is none of',
  arity: 'many',
  types: {
    string: onText({
      parse: (value) => new Set(list(value)),
      evaluate: (text, wanted) => wanted.has(text),
      compile: (text, wanted, bind) => `has(${bind([...wanted], 'Array(String)')}, ${text})`,
    }),
  },
};
