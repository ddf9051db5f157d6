import { someText } from '../operands.ts';
import { onText, type Operator } from '../operator.ts';

export const startsWith: Operator = {
  id: 'starts_with',
  label: 'starts with',
  negation: 'does not start with',
  arity: 'one',
  types: {
    string: onText({
      parse: someText,
      evaluate: (text, start) => text.startsWith(start),
      compile: (text, start, bind) => `startsWith(${text}, ${bind(start, 'String')})`,
    }),
  },
};
