import { isEnvironmentName } from '@candela/kernel';
import type { AttributeList } from '@candela/otlp';
import { ENVIRONMENT_KEYS, SERVICE_KEY } from '../../schema/own-columns.ts';
import type { TableWriter } from '../columns/table-writer.ts';
import type { EncodeContext } from './context.ts';
import type { Outcome } from './outcome.ts';

const SDK_KEYS = ['telemetry.sdk.language', 'telemetry.sdk.name', 'telemetry.sdk.version'];

/** Notes which SDK and service made the records of a resource. */
function noteOrigin(resource: AttributeList, outcome: Outcome): void {
  const sdk = SDK_KEYS.map((key) => resource.text(key)).filter((part) => part !== '');
  outcome.origin(sdk.join(' '), resource.text(SERVICE_KEY));
}

/**
 * The environment of a resource's records: header, then the two resource attributes, then the key's default. Undefined
 * when its records are not taken.
 */
export function environmentOf(
  resource: AttributeList,
  context: EncodeContext,
  outcome: Outcome,
): string | undefined {
  let name = context.environment ?? '';
  for (const key of ENVIRONMENT_KEYS) {
    if (name === '') name = resource.text(key);
  }
  if (name === '') name = context.defaultEnvironment;
  const renamed = !isEnvironmentName(name);
  if (renamed) name = asEnvironmentName(name) ?? context.defaultEnvironment;
  if (context.takes !== undefined && !context.takes(name)) return undefined;
  if (renamed) outcome.adjust('environments_renamed', 1);
  noteOrigin(resource, outcome);
  outcome.environments.add(name);
  return name;
}

/** What a sender calls `Prod (EU)` is kept as `prod-eu`; undefined when nothing valid is left. */
function asEnvironmentName(name: string): string | undefined {
  const valid = name
    .slice(0, 200)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 63)
    .replace(/[._-]+$/, '');
  return isEnvironmentName(valid) ? valid : undefined;
}

/** Fills the tenancy columns that every table has. */
export class TenancyColumns {
  readonly #project;
  readonly #environment;
  readonly #receivedAt;
  readonly #retentionDays;

  constructor(table: TableWriter) {
    this.#project = table.column('ProjectId', 'LowCardinality(String)');
    this.#environment = table.column('Environment', 'LowCardinality(String)');
    this.#receivedAt = table.column('ReceivedAt', 'DateTime64(3)');
    this.#retentionDays = table.column('RetentionDays', 'UInt16');
  }

  set(row: number, environment: string, context: EncodeContext): void {
    this.#project.set(row, context.projectId);
    this.#environment.set(row, environment);
    this.#receivedAt.setNumber(row, context.receivedAtMs);
    this.#retentionDays.data[row] = context.retentionDays;
  }
}
