import { runStaticSteps } from './run.ts';

const failed = await runStaticSteps();
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(', ')}`);
  process.exit(1);
}
