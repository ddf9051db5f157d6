import { type BodyOf, CONTROLLER_LIMITS, CONTROLLER_MODES, type ROUTES } from '@candela/contract';

/** A service as an instance reported it, read and bounded. */
export interface ReportedService {
  readonly workload: string;
  readonly name: string;
  readonly namespace: string;
  readonly runtime: string;
  readonly vendors: readonly string[];
  /** Names that it called, as the tap saw them. */
  readonly hosts: readonly string[];
  /** Packages that call models which it can load. */
  readonly packages: readonly string[];
  /** What told that it calls models. */
  readonly evidence: readonly string[];
  readonly pid: number | null;
  readonly exePath: string;
  readonly container: string;
  readonly pod: string;
  readonly firstSeen: string;
  readonly tap: { readonly possible: boolean; readonly detail: string };
  readonly sdk: { readonly possible: boolean; readonly detail: string };
  readonly instrumented: boolean;
  readonly statusDetail: string;
  readonly content: boolean;
  readonly agentStatus: string;
  readonly spans: number;
  readonly lost: number;
}

export interface ReportedFacts {
  readonly version: string;
  readonly mode: string;
  readonly node: string;
  readonly tap: string;
  readonly truncated: readonly string[];
}

export interface ReportedResult {
  readonly id: string;
  readonly state: 'running' | 'succeeded' | 'failed';
  readonly error: string | null;
  readonly snapshot: string | null;
}

export interface Report {
  readonly name: string;
  readonly cluster: string;
  readonly facts: ReportedFacts;
  readonly services: readonly ReportedService[];
  readonly results: readonly ReportedResult[];
}

const L = CONTROLLER_LIMITS;
type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

/** Reads what a controller says. Too long and too much is cut, and `facts.truncated` says so. */
export function readReport(body: BodyOf<typeof ROUTES.pollController>): Report {
  const truncated = new Set<string>();
  const text = (value: unknown, what: string, max: number = L.text): string => {
    if (typeof value !== 'string') return '';
    const clean = value.replaceAll(/\p{Cc}|\p{Cs}/gu, ' ');
    if (clean.length <= max) return clean;
    truncated.add(`${what}: cut to ${max} characters`);
    return clean.slice(0, max);
  };
  const list = (value: unknown, what: string, max: number): readonly unknown[] => {
    if (!Array.isArray(value)) return [];
    const all: readonly unknown[] = value;
    if (all.length <= max) return all;
    truncated.add(`${what}: ${max} of ${all.length} are kept`);
    return all.slice(0, max);
  };
  const texts = (value: unknown, what: string, max: number): readonly string[] =>
    list(value, what, L.ports).map((one) => text(one, what, max));
  const count = (value: unknown): number =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
  const possible = (value: unknown, what: string) => {
    const fields = fieldsOf(value);
    return { possible: fields['possible'] === true, detail: text(fields['detail'], what) };
  };

  const services = new Map<string, ReportedService>();
  for (const raw of list(body.services, 'services', L.services)) {
    const fields = fieldsOf(raw);
    const workload = text(fields['workload_key'], 'workload_key');
    if (workload === '') {
      truncated.add('services: those without a workload_key are left out');
      continue;
    }
    services.set(workload, {
      workload,
      name: text(fields['service_name'], 'service_name') || workload,
      namespace: text(fields['namespace'], 'namespace'),
      runtime: text(fields['language_runtime'], 'language_runtime', 64),
      vendors: texts(fields['llm_providers'], 'llm_providers', 100),
      hosts: texts(fields['llm_hosts'], 'llm_hosts', 255),
      packages: texts(fields['llm_packages'], 'llm_packages', 100),
      evidence: texts(fields['evidence'], 'evidence', 32),
      pid: count(fields['pid']) || null,
      exePath: text(fields['exe_path'], 'exe_path'),
      container: text(fields['container'], 'container', 256),
      pod: text(fields['pod_name'], 'pod_name', 256),
      firstSeen: text(fields['first_seen'], 'first_seen', 40),
      tap: possible(fields['tap'], 'tap'),
      sdk: possible(fields['sdk'], 'sdk'),
      instrumented: fields['instrumentation_status'] === 'instrumented',
      statusDetail: text(fields['instrumentation_detail'], 'instrumentation_detail'),
      content: fields['content_captured'] === true,
      agentStatus: text(fields['agent_observability_status'], 'agent_observability_status', 64) || 'none',
      spans: count(fields['spans']),
      lost: count(fields['lost_events']),
    });
  }
  const results: ReportedResult[] = [];
  for (const raw of list(body.action_results, 'action_results', L.results)) {
    const fields = fieldsOf(raw);
    const id = text(fields['action_id'], 'action_id', 64);
    const { status } = fields;
    if (id === '') continue;
    results.push({
      id,
      state: status === 'completed' ? 'succeeded' : status === 'running' ? 'running' : 'failed',
      error: typeof fields['error'] === 'string' ? text(fields['error'], 'error') : null,
      // Newlines of a diff stay.
      snapshot: typeof fields['snapshot'] === 'string' ? fields['snapshot'].slice(0, L.snapshot) : null,
    });
  }
  const attributes = fieldsOf(body.resource_attributes);
  if (Object.keys(attributes).length > L.attributes)
    truncated.add(`resource_attributes: ${L.attributes} are kept`);
  const mode = CONTROLLER_MODES.find((one) => one === body.mode) ?? 'linux';
  const name = text(body.instance_id, 'instance_id', L.instanceId);
  const own = list(body['truncated'], 'truncated', 20).map((one) => text(one, 'truncated', 200));
  return {
    name,
    cluster: text(body.cluster_id, 'cluster_id', 100) || 'default',
    services: [...services.values()],
    results,
    facts: {
      version: text(body.version, 'version', 64),
      mode,
      node: text(body.node_name, 'node_name', 255),
      tap: text(attributes['controller.tap'], 'controller.tap'),
      truncated: [...own, ...truncated],
    },
  };
}
