import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds that files take together with two others, as far as they take long; by the end of their path. */
const LONG: readonly (readonly [file: string, seconds: number])[] = [
  ['/keeper.platform.test.ts', 147],
  ['/trace.e2e.test.ts', 127],
  ['/tenancy.platform.test.ts', 111],
  ['/prune.platform.test.ts', 99],
  ['/explore.e2e.test.ts', 95],
  ['/rollups.platform.test.ts', 82],
  ['/outages.platform.test.ts', 82],
  ['/traces.e2e.test.ts', 78],
  ['/away.e2e.test.ts', 75],
  ['/hosts.e2e.test.ts', 74],
  ['/spans.platform.test.ts', 73],
  ['/sessions.e2e.test.ts', 71],
  ['/rotation.platform.test.ts', 71],
  ['/conformance/postgres.platform.test.ts', 61],
  ['/client-leaves.platform.test.ts', 60],
  ['/faults.platform.test.ts', 56],
  ['/at-rest.platform.test.ts', 49],
  ['/backups.platform.test.ts', 49],
  ['/aggregate.platform.test.ts', 48],
  ['/local-collector.platform.test.ts', 44],
  ['/activity.platform.test.ts', 43],
  ['/release.platform.test.ts', 43],
  ['/differential/differential.platform.test.ts', 42],
  ['/filter-size.platform.test.ts', 41],
  ['/keyboard.e2e.test.ts', 41],
  ['/home.e2e.test.ts', 39],
  ['/exceptions.e2e.test.ts', 38],
  ['/engine-host.platform.test.ts', 37],
  ['/bundle.e2e.test.ts', 37],
  ['/spans-by-figure.platform.test.ts', 36],
  ['/boards.e2e.test.ts', 36],
];
const OTHER = { e2e: 18, platform: 10 } as const;

const secondsOf = ({ moduleId, project }: TestSpecification): number =>
  LONG.find(([file]) => moduleId.endsWith(file))?.[1] ??
  (project.name === 'e2e' ? OTHER.e2e : OTHER.platform);

/**
 * The order of files within a ring: the longest first, since what is begun last is waited for alone, on one core. Those of
 * projects that run together come in turn, so that there are seldom more browsers than one. Vitest knows how long a file
 * took where it was run before, and a clean checkout is not such a place.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rings = Map.groupBy(sorted, ({ project }) => project.config.sequence.groupOrder);
    return [...rings].toSorted(([a], [b]) => a - b).flatMap(([, ring]) => inTurn(ring));
  }
}

function inTurn(ring: readonly TestSpecification[]): TestSpecification[] {
  const projects = [...Map.groupBy(ring, ({ project }) => project.name).values()].map((list) => ({
    files: list.toSorted((a, b) => secondsOf(b) - secondsOf(a)),
    /** Of all seconds of the project, those that are in the order already. */
    done: 0,
    all: list.reduce((sum, file) => sum + secondsOf(file), 0),
  }));
  const order: TestSpecification[] = [];
  while (order.length < ring.length) {
    const next = projects
      .filter(({ files }) => files.length > 0)
      .reduce((a, b) => (b.done / b.all < a.done / a.all ? b : a));
    const file = next.files.shift();
    if (file === undefined) break;
    next.done += secondsOf(file);
    order.push(file);
  }
  return order;
}
