import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds that files take together with two others, as far as they take long; by the end of their path. */
const LONG: readonly (readonly [file: string, seconds: number])[] = [
  ['/outages.platform.test.ts', 125],
  ['/ingest/faults.platform.test.ts', 120],
  ['/trace.e2e.test.ts', 229],
  ['/hosts.e2e.test.ts', 157],
  ['/tenancy.platform.test.ts', 150],
  ['/explore.e2e.test.ts', 149],
  ['/traces.e2e.test.ts', 144],
  ['/rollups.platform.test.ts', 138],
  ['/sessions.e2e.test.ts', 138],
  ['/keeper.platform.test.ts', 133],
  ['/client-leaves.platform.test.ts', 131],
  ['/away.e2e.test.ts', 128],
  ['/keyboard.e2e.test.ts', 121],
  ['/facets.e2e.test.ts', 107],
  ['/exceptions.e2e.test.ts', 106],
  ['/home.e2e.test.ts', 100],
  ['/spans.platform.test.ts', 98],
  ['/prune.platform.test.ts', 97],
  ['/rotation.platform.test.ts', 94],
  ['/logs.e2e.test.ts', 88],
  ['/src/conformance/postgres.platform.test.ts', 87],
  ['/aggregate.platform.test.ts', 85],
  ['/filter-size.platform.test.ts', 82],
  ['/backups.platform.test.ts', 82],
  ['/settings.e2e.test.ts', 80],
  ['/metrics.e2e.test.ts', 80],
  ['/estimates.e2e.test.ts', 79],
  ['/metrics.platform.test.ts', 77],
  ['/boards.e2e.test.ts', 77],
  ['/access.e2e.test.ts', 73],
  ['/replica-roles.platform.test.ts', 73],
  ['/connectors.e2e.test.ts', 73],
  ['/local-collector.platform.test.ts', 73],
  ['/schemathesis.platform.test.ts', 72],
  ['/traces-by-figure.platform.test.ts', 71],
  ['/identity.e2e.test.ts', 69],
  ['/assistant.e2e.test.ts', 67],
  ['/steer.e2e.test.ts', 60],
  ['/engine-host.platform.test.ts', 60],
  ['/bundle.e2e.test.ts', 60],
  ['/activity.platform.test.ts', 59],
  ['/alerts.e2e.test.ts', 58],
  ['/at-rest.platform.test.ts', 58],
  ['/rules.e2e.test.ts', 57],
  ['/people.platform.test.ts', 56],
  ['/queries/differential/differential.platform.test.ts', 55],
  ['/basis.platform.test.ts', 52],
  ['/release.platform.test.ts', 51],
  ['/evaluations.e2e.test.ts', 49],
  ['/route-tricks.platform.test.ts', 49],
  ['/spans-by-figure.platform.test.ts', 46],
  ['/server/src/postgres.platform.test.ts', 45],
  ['/oauth.e2e.test.ts', 45],
  ['/clients.platform.test.ts', 44],
  ['/hostile-input.platform.test.ts', 44],
];
const OTHER = { e2e: 30, platform: 15 } as const;

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
