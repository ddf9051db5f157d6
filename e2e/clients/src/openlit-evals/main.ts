/** openlit's offline evaluation from npm, unchanged: prints what its functions return, as one line of JSON. */
import { createRequire } from 'node:module';
import { clientEnv } from '../shared/client-env.ts';

const { ai: openlitUrl, apiKey: openlitApiKey } = clientEnv();
const require = createRequire(import.meta.url);
const { default: Openlit } = require('openlit') as typeof import('openlit');

const base = { openlitUrl, openlitApiKey, printResults: false };
const said = { prompt: 'Do I get my money back?', response: 'Always.' };
const failed = (thrown: unknown) => ({ thrown: String(thrown) });
const results = {
  types: await Openlit.getEvalTypes(base),
  one: await Openlit.eval({
    ...base,
    ...said,
    contexts: ['Within 30 days.'],
    evalTypes: ['hallucination'],
    thresholdScore: 0.4,
    attributes: { user_tier: 'gold' },
  }),
  batch: await Openlit.evalBatch({
    ...base,
    dataset: [said, { ...said, response: 'No.' }],
    evalTypes: ['bias'],
  }),
  wrongKey: await Openlit.eval({ ...base, ...said, openlitApiKey: 'pk_00000000_wrong' }).catch(failed),
};
process.stdout.write(`\n${JSON.stringify(results)}\n`);
