import type { Stage } from '../stage.ts';
import { NARROW, ROWS, type ShotGroup } from './shot.ts';

/** The group with the most occurrences that fits. */
async function exceptionOf(stage: Stage, q: string): Promise<string> {
  const response = await fetch(`${stage.platform.http}/api/telemetry/exceptions/search`, {
    method: 'POST',
    body: JSON.stringify({ q, sort: '-count', limit: 1 }),
  });
  const { data } = (await response.json()) as { data: { fingerprint: string }[] };
  const first = data[0];
  if (first === undefined) throw new Error(`No exception of the demo fits ${q}.`);
  return first.fingerprint;
}

export const exceptionsShots: ShotGroup = {
  shots: [
    { name: 'exceptions-first', path: '/exceptions', ready: 'text=No exception so far', empty: true },
    { name: 'exceptions', path: '/exceptions', ready: ROWS },
    {
      name: 'exception-page',
      path: async (stage) => `/exceptions/${await exceptionOf(stage, '')}`,
      ready: 'text=Stack trace',
    },
    {
      name: 'exception-narrow',
      path: async (stage) => `/exceptions/${await exceptionOf(stage, 'model:*')}`,
      ready: 'h1',
      size: NARROW,
    },
  ],
};
