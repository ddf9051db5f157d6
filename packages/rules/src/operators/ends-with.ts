import { someText } from '../operands.ts';
import { onText, type Operator } from '../operator.ts';

export const endsWith: Operator = {
  id: 'ends_with',
  label: 'ends with',
  negation: 'does not end with',
  arity: 'one',
  types: {
    string: onText({
      parse: someText,
      evaluate: (text, end) => text.endsWith(end),
      compile: (text, end, bind) => `endsWith(${text}, ${bind(end, 'String')})`,
    }),
  },
};
