import type { Bench } from '../lib/bench.ts';
import { type Figure, thousands } from '../lib/table.ts';
import { type Assumptions, MEASURED, ORDINARY, planFor } from './model.ts';
import { simulate } from './simulate.ts';

const RATES = [10_000, 1_000_000, 10_000_000] as const;
const HOUR = 3_600;

/** What is looked at for each rate: everything kept on local disks, and a tenth of the traces with a week of local disks. */
const WAYS: readonly { readonly name: string; readonly assumptions: Assumptions }[] = [
  { name: 'all kept, 30 days local', assumptions: ORDINARY },
  {
    name: 'a tenth kept, 7 days local, the rest in object storage',
    assumptions: { ...ORDINARY, kept: 0.1, localDays: 7 },
  },
];

const terabytes = (bytes: number): string => `${thousands(bytes / 1e12, bytes < 1e13 ? 1 : 0)} TB`;

/** Reckons what rates of spans need, and runs an hour with a peak, bursts and the loss of a machine through it. */
export const scale: Bench = {
  run() {
    const figures: Figure[] = [];
    for (const { name, assumptions } of WAYS) {
      for (const rate of RATES) {
        const plan = planFor(rate, assumptions);
        figures.push({
          what: `${thousands(rate)} spans/s, ${name}`,
          value: `${plan.ingestReplicas} ingest + ${plan.shards} shards x ${assumptions.copies} = ${thousands(plan.machines)} machines`,
          against: `first: ${plan.bound} (shards by cpu ${plan.shardsBy.cpu}, disk ${plan.shardsBy.disk}, network ${plan.shardsBy.network}); ${terabytes(plan.localBytes * assumptions.copies)} local, ${terabytes(plan.objectBytes)} object storage; ${thousands((plan.networkInBytes * 8) / 1e9, 1)} Gbit/s in at the peak`,
        });
        const outcome = simulate(plan, assumptions, {
          spansPerSecond: rate,
          seconds: HOUR,
          burst: 1.5,
          outage: { from: 1_500, until: 2_100 },
          seed: 50,
        });
        figures.push({
          what: `the same, an hour simulated`,
          value: `${outcome.refused === 0 ? 'nothing refused' : `${thousands((100 * outcome.refused) / (outcome.arrived + outcome.refused), 2)} % asked to wait`}, stored after at most ${thousands(outcome.worstDelaySeconds, 1)} s`,
          against: `log ${thousands(outcome.worstLogBytes / 1e6)} MB a replica, ${thousands(outcome.worstParts)} parts, ${thousands(outcome.worstBusy * 100)} % busy${outcome.drained ? '' : '; NOT all stored at the end'}`,
        });
      }
    }
    return Promise.resolve({
      bench: 'scale',
      command: 'npm run bench -- scale',
      figures,
      notes: [
        `From measured costs a span: ${MEASURED.ingestCpuUs.toFixed(1)} us of ingest, ${MEASURED.storeCpuUs.toFixed(1)} us of the engine, ${MEASURED.wireBytes} B on the wire, ${MEASURED.diskBytes} B on disk.`,
        `Machines of ${ORDINARY.coresOfMachine} cores, ${terabytes(ORDINARY.diskOfMachineBytes)} and 10 Gbit/s, ${ORDINARY.busy * 100} % busy at a peak of ${ORDINARY.peak} times the mean; ${ORDINARY.readerCores} cores of each shard for readers.`,
        'The simulated hour rises to the peak and falls, has four bursts of 1.5 times for two minutes, and loses one copy of a shard for ten.',
      ],
    });
  },
};
