import { parseArgs } from 'node:util';
import type { Bench } from '../lib/bench.ts';
import type { Findings } from '../lib/table.ts';
import { datasets } from './datasets.ts';
import { deterministic } from './deterministic.ts';
import { playground } from './playground.ts';
import { crashes, replicas } from './spans.ts';

const PARTS = ['deterministic', 'playground', 'datasets', 'crashes', 'replicas'] as const;

/** Evaluations, experiments and the playground: what they take, and that nothing is judged twice, whoever dies. */
export const judge: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        spans: { type: 'string', default: '10000' },
        kills: { type: 'string', default: '50' },
        items: { type: 'string', default: '1000' },
        'item-kills': { type: 'string', default: '30' },
        rounds: { type: 'string', default: '30' },
      },
    });
    const [spans, kills, items, itemKills, rounds] = [
      values.spans,
      values.kills,
      values.items,
      values['item-kills'],
      values.rounds,
    ].map(Number) as [number, number, number, number, number];
    const chosen = PARTS.filter((part) => values.only === undefined || values.only.split(',').includes(part));
    const run: Record<(typeof PARTS)[number], () => Promise<Findings['figures']> | Findings['figures']> = {
      deterministic: () => deterministic(),
      playground: () => playground(rounds),
      datasets: () => datasets(10_000, items, itemKills),
      crashes: () => crashes(spans, kills),
      replicas: () => replicas(spans),
    };
    const figures: Findings['figures'][number][] = [];
    for (const part of chosen) figures.push(...(await run[part]()));
    const more = args.length === 0 ? '' : ` ${args.join(' ')}`;
    return {
      bench: 'judge',
      command: `npm run bench -- judge${more}`,
      figures,
      notes: [
        'A fake vendor on the loopback judges; the platform runs as a process of its own and is killed at random moments, 0.3 to 2 s after each start.',
      ],
    };
  },
};
