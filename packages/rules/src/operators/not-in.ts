import { list } from '../operands.ts';
import { onText, type Operator } from '../operator.ts';

export const notIn: Operator = {
  id: 'not_in',
  label: 'is none of',
  negation: 'is one of',
  arity: 'many',
  types: {
    string: onText({
      parse: (value) => new Set(list(value)),
      evaluate: (text, unwanted) => !unwanted.has(text),
      compile: (text, unwanted, bind) => `NOT has(${bind([...unwanted], 'Array(String)')}, ${text})`,
    }),
  },
};
