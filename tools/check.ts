import { runSteps, STATIC_STEPS } from './run.ts';

const failed = runSteps(STATIC_STEPS);
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(', ')}`);
  process.exit(1);
}
