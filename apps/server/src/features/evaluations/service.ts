/** What other features use of evaluations. */
export { type Evaluator, type Evaluators, judgeScope, type Verdict } from './evaluators.ts';
export type { Subject } from './kinds/index.ts';
export { compileSchema } from './kinds/json.ts';
export { type NewScore, recordScores } from './record-score.ts';
export { ENOUGH, kappa, mcnemar, pairedDifference, wilson } from './statistics.ts';
export { subjectOf } from './subject.ts';
