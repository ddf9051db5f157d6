import manifest from '../package.json' with { type: 'json' };

export const NAME = 'opentelemetry-gpu-collector';
export const VERSION: string = manifest.version;

/** Version of the metrics SDK; a test compares it with the package, which is not loaded for this. */
export const SDK_VERSION = '3.1.0';

/** Who sends: what `telemetry.*` says on everything. */
export const TELEMETRY: ReadonlyMap<string, string> = new Map([
  ['telemetry.sdk.name', 'opentelemetry'],
  ['telemetry.sdk.language', 'nodejs'],
  ['telemetry.sdk.version', SDK_VERSION],
  ['telemetry.distro.name', NAME],
  ['telemetry.distro.version', VERSION],
]);
