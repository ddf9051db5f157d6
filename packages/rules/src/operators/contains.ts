import { someText } from '../operands.ts';
import { onText, type Operator } from '../operator.ts';

export const contains: Operator = {
  id: 'contains',
  label: 'contains',
  negation: 'does not contain',
  arity: 'one',
  types: {
    string: onText({
      parse: someText,
      evaluate: (text, part) => text.includes(part),
      compile: (text, part, bind) => `position(${text}, ${bind(part, 'String')}) > 0`,
      cost: 2,
    }),
  },
};
