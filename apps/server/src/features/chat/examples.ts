import { GOLDEN } from '@candela/telemetry-store/golden';

const SHOWN = [
  'What did each model cost?',
  'How many requests and errors were there by hour?',
  'Which services are slowest?',
  'Which tools fail most?',
];

/** Questions with their statements that the instructions show: of the golden list, which is run. */
export const EXAMPLES = GOLDEN.filter(({ question }) => SHOWN.includes(question));
