import { BenchRandom } from '../lib/random.ts';
import { type Assumptions, MEASURED, type Plan } from './model.ts';

export interface Scene {
  readonly spansPerSecond: number;
  readonly seconds: number;
  /** A machine of one shard is away from and until these seconds. */
  readonly outage: { readonly from: number; readonly until: number } | undefined;
  /** Times the rate in one burst a quarter of an hour, two minutes long. */
  readonly burst: number;
  readonly seed: number;
}

export interface Outcome {
  readonly arrived: number;
  readonly stored: number;
  /** Refused with 429: sent again by the exporter. */
  readonly refused: number;
  /** Seconds of the worst second from acknowledged to stored. */
  readonly worstDelaySeconds: number;
  /** Bytes of the log of one ingest replica at its fullest. */
  readonly worstLogBytes: number;
  /** Parts that wait for merging in one shard at the worst. */
  readonly worstParts: number;
  readonly worstBusy: number;
  /** Whether everything acknowledged was stored at the end. */
  readonly drained: boolean;
}

/** The log of one ingest replica; beyond it a sender is asked to wait. */
const LOG_BYTES = 8e9;
/** Parts of an insert: the writer sends one a second and table, of several tables with their rollups. */
const PARTS_PER_INSERT = 6;
/** Parts that one core merges away in a second, of small parts. */
const MERGED_PER_CORE = 10;
/** Where ClickHouse holds inserts back. */
const MOST_PARTS = 3_000;

/**
 * Arrivals, inserts, merges and readers second by second, in the machines of a plan. Inserts go before merges until there are
 * many parts, readers take their cores whenever they come: as the engine shares out its threads.
 */
export function simulate(plan: Plan, assumptions: Assumptions, scene: Scene): Outcome {
  const random = new BenchRandom(scene.seed);
  const logOfAll = plan.ingestReplicas * LOG_BYTES;
  const ingestPerSecond = (plan.ingestReplicas * assumptions.coresOfMachine * 1e6) / MEASURED.ingestCpuUs;
  const insertShare = 0.6;
  const outcome = {
    arrived: 0,
    stored: 0,
    refused: 0,
    worstDelaySeconds: 0,
    worstLogBytes: 0,
    worstParts: 0,
    worstBusy: 0,
  };
  let log = 0;
  let parts = 0;
  const last = scene.seconds;
  // Senders stop at the end; what is in the log goes on being stored for as long again.
  for (let second = 0; second < last * 2 && (second < last || log > 0); second++) {
    const wave = 1 + (assumptions.peak - 1) * Math.max(0, Math.sin((second / last) * Math.PI));
    const inBurst = second % 900 >= 300 && second % 900 < 420;
    const jitter = 0.9 + (random.word() / 2 ** 32) * 0.2;
    const offered = second >= last ? 0 : scene.spansPerSecond * wave * jitter * (inBurst ? scene.burst : 1);
    const room = Math.max(0, (logOfAll - log * MEASURED.wireBytes) / MEASURED.wireBytes);
    const taken = Math.min(offered, ingestPerSecond, room);
    outcome.arrived += taken;
    outcome.refused += offered - taken;
    log += taken * assumptions.kept;

    const isOut = scene.outage !== undefined && second >= scene.outage.from && second < scene.outage.until;
    // The other copy takes the reads of both, and afterwards the lost one fetches what it missed.
    const readers = assumptions.readerCores * (isOut ? 1 : 0.6 + (random.word() / 2 ** 32) * 0.4);
    const cores = assumptions.coresOfMachine - readers;
    const mergeCores = Math.min(cores * (parts > MOST_PARTS / 2 ? 0.7 : 0.4), parts / MERGED_PER_CORE);
    const insertCores = cores - mergeCores;
    const perShard = (insertCores * 1e6) / (MEASURED.storeCpuUs * insertShare);
    const inserted = parts >= MOST_PARTS ? 0 : Math.min(log, perShard * plan.shards);
    log -= inserted;
    outcome.stored += inserted;
    parts = Math.max(
      0,
      parts +
        (inserted > 0 ? PARTS_PER_INSERT * Math.min(plan.ingestReplicas, 8) : 0) -
        mergeCores * MERGED_PER_CORE,
    );

    const used =
      readers + mergeCores + (inserted / plan.shards) * ((MEASURED.storeCpuUs * insertShare) / 1e6);
    outcome.worstBusy = Math.max(outcome.worstBusy, used / assumptions.coresOfMachine);
    outcome.worstDelaySeconds = Math.max(
      outcome.worstDelaySeconds,
      log / Math.max(1, perShard * plan.shards),
    );
    outcome.worstLogBytes = Math.max(outcome.worstLogBytes, (log * MEASURED.wireBytes) / plan.ingestReplicas);
    outcome.worstParts = Math.max(outcome.worstParts, parts);
  }
  return { ...outcome, drained: log < 1 };
}
