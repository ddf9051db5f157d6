/**
 * What a span costs at each stage, as `npm run bench -- ingest` measured it (docs/benchmarks.md, "Ingest"): its CPU is the cores
 * of the run divided by its spans a second in the store. Bytes of the wire are protobuf without compression.
 */
export const MEASURED = {
  /** Decoding, normalising, the log, encoding columns: 0.79 cores at 111,156 spans a second. */
  ingestCpuUs: (0.79 / 111_156) * 1e6,
  /** Inserts with their rollups and the merges of the run: 1.06 cores at 111,156 spans a second. */
  storeCpuUs: (1.06 / 111_156) * 1e6,
  wireBytes: 897,
  /** After merging, without and with the text index. */
  diskBytes: 120,
  diskBytesWithText: 174,
} as const;

export interface Assumptions {
  /** Part of a machine's cores that may be busy on an ordinary day's peak. */
  readonly busy: number;
  /** Times the mean at the peak of a day. */
  readonly peak: number;
  readonly retentionDays: number;
  /** Copies of every part in ClickHouse. */
  readonly copies: number;
  readonly coresOfMachine: number;
  readonly diskOfMachineBytes: number;
  readonly networkOfMachineBytes: number;
  /** Bytes written to disk for each byte kept: a part is merged about log2(parts a day) / 3 times. */
  readonly writeAmplification: number;
  /** Cores of a shard that readers take at their busiest. */
  readonly readerCores: number;
  /** Part of traces that tail sampling keeps; 1: all. */
  readonly kept: number;
  /** Days on local disks where object storage takes the older ones; undefined: everything is local. */
  readonly localDays: number | undefined;
  readonly textIndex: boolean;
}

export const ORDINARY: Assumptions = {
  busy: 0.6,
  peak: 2.5,
  retentionDays: 30,
  copies: 2,
  coresOfMachine: 16,
  diskOfMachineBytes: 4e12,
  networkOfMachineBytes: 10e9 / 8,
  writeAmplification: 6,
  readerCores: 4,
  kept: 1,
  localDays: undefined,
  textIndex: false,
};

export interface Plan {
  readonly ingestCores: number;
  readonly ingestReplicas: number;
  readonly storeCores: number;
  readonly shards: number;
  /** What asks for the most shards: it breaks first. */
  readonly bound: 'cpu' | 'disk' | 'network';
  readonly shardsBy: Readonly<Record<'cpu' | 'disk' | 'network', number>>;
  readonly machines: number;
  readonly networkInBytes: number;
  readonly keptBytes: number;
  readonly localBytes: number;
  readonly objectBytes: number;
  /** Bytes a second that the disks of one shard's machine write. */
  readonly diskWriteBytes: number;
}

/** What a mean rate of spans a second needs. */
export function planFor(spansPerSecond: number, assumptions: Assumptions = ORDINARY): Plan {
  const a = assumptions;
  const peak = spansPerSecond * a.peak;
  const stored = peak * a.kept;
  const ingestCores = (peak * MEASURED.ingestCpuUs) / 1e6 / a.busy;
  // Every copy of a shard does its own merges; about half of the cost of a row is inserting it, which all copies do as well.
  const storeCores = (stored * MEASURED.storeCpuUs) / 1e6 / a.busy;
  const bytes = a.textIndex ? MEASURED.diskBytesWithText : MEASURED.diskBytes;
  const perDay = spansPerSecond * a.kept * bytes * 86_400;
  const keptBytes = perDay * a.retentionDays;
  const localBytes = perDay * Math.min(a.retentionDays, a.localDays ?? a.retentionDays);
  const networkInBytes = peak * MEASURED.wireBytes;
  const shardsBy = {
    cpu: Math.max(1, Math.ceil(storeCores / Math.max(1, a.coresOfMachine - a.readerCores))),
    // Merges need room for what they write: a quarter stays free.
    disk: Math.max(1, Math.ceil(localBytes / (a.diskOfMachineBytes * 0.75))),
    network: Math.max(
      1,
      Math.ceil((networkInBytes * a.kept * a.copies) / (a.networkOfMachineBytes * a.busy)),
    ),
  };
  const shards = Math.max(...Object.values(shardsBy));
  const bound = (['disk', 'cpu', 'network'] as const).find((one) => shardsBy[one] === shards) ?? 'cpu';
  // One more than needed: a replica may be away while another is replaced.
  const ingestReplicas = Math.max(2, Math.ceil(ingestCores / a.coresOfMachine) + 1);
  return {
    ingestCores,
    ingestReplicas,
    storeCores,
    shards,
    bound,
    shardsBy,
    machines: ingestReplicas + shards * a.copies,
    networkInBytes,
    keptBytes,
    localBytes,
    objectBytes: keptBytes - localBytes,
    diskWriteBytes: (stored * bytes * a.writeAmplification) / shards,
  };
}
