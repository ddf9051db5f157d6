/** What a process did with a graphics device, from `/proc/<pid>/fdinfo/<fd>` (linux, drm-usage-stats.rst). */
export interface DrmClient {
  readonly driver: string;
  /** PCI address; absent for a device that is not on that bus. */
  readonly address: string | undefined;
  /** Descriptors that share a client say the same: it counts once. */
  readonly client: string;
  readonly engines: readonly EngineUse[];
  /** Bytes by region (`vram`, `local0`, `system`), those that are in use at present where the driver tells them apart. */
  readonly memory: ReadonlyMap<string, number>;
}

export interface EngineUse {
  readonly name: string;
  /** Nanoseconds of work, or cycles of it. */
  readonly busy: bigint;
  /** Cycles that went by; undefined where work is in nanoseconds. */
  readonly total: bigint | undefined;
  /** Engines of this kind. */
  readonly capacity: number;
}

const MAX_LINES = 256;
const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
]);
/** Of several words for a region the first that is there: what is resident, the older word for it, what was asked for. */
const KINDS = ['resident', 'memory', 'total'] as const;
const MAX_CAPACITY = 1_024;

/** Undefined when the descriptor is none of a graphics device. */
export function parseFdinfo(text: string): DrmClient | undefined {
  const values = new Map<string, string>();
  for (const line of text.split('\n', MAX_LINES)) {
    const at = line.indexOf(':');
    const key = line.slice(0, at);
    if (at > 0 && key.startsWith('drm-')) values.set(key, line.slice(at + 1).trim());
  }
  const driver = values.get('drm-driver');
  const client = values.get('drm-client-id');
  if (driver === undefined || client === undefined) return undefined;
  return {
    driver,
    client,
    address: values.get('drm-pdev')?.toLowerCase(),
    engines: enginesOf(values),
    memory: memoryOf(values),
  };
}

const whole = (text: string | undefined): bigint | undefined => {
  const match = /^(\d{1,20})(?: ns)?$/.exec(text ?? '');
  return match?.[1] === undefined ? undefined : BigInt(match[1]);
};

function enginesOf(values: ReadonlyMap<string, string>): EngineUse[] {
  const engines: EngineUse[] = [];
  for (const [key, text] of values) {
    const match = /^drm-(engine|cycles)-([a-z0-9_-]{1,32})$/.exec(key);
    const name = match?.[2];
    const busy = whole(text);
    if (match === null || name === undefined || busy === undefined || name.startsWith('capacity-')) continue;
    const inCycles = match[1] === 'cycles';
    const total = inCycles ? whole(values.get(`drm-total-cycles-${name}`)) : undefined;
    // A driver that tells both is asked for its nanoseconds; cycles that went by unknown are cycles of nothing.
    if (inCycles && (total === undefined || values.has(`drm-engine-${name}`))) continue;
    const capacity = Number(whole(values.get(`drm-engine-capacity-${name}`)) ?? 1n);
    engines.push({ name, busy, total, capacity: Math.min(Math.max(capacity, 1), MAX_CAPACITY) });
  }
  return engines;
}

function memoryOf(values: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  const memory = new Map<string, number>();
  for (const kind of KINDS) {
    const prefix = `drm-${kind}-`;
    for (const [key, text] of values) {
      if (!key.startsWith(prefix)) continue;
      const region = key.slice(prefix.length);
      const match = /^(\d{1,15})(?: (KiB|MiB))?$/.exec(text);
      // `drm-total-cycles-rcs` begins like a region.
      if (match === null || region.startsWith('cycles-') || memory.has(region)) continue;
      memory.set(region, Number(match[1]) * (UNITS.get(match[2] ?? '') ?? 1));
    }
  }
  return memory;
}
