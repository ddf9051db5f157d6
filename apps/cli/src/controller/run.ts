import { hostname } from 'node:os';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { alone, holderOf } from '@candela/coding-agents';
import { CandelaError } from '@candela/kernel';
import { answerOf } from '../command.ts';
import { perform, type PolledAction } from './actions.ts';
import { Discovery, type FoundService } from './discover.ts';
import { planOf, type SdkPlace, textAt } from './inject.ts';
import { ControllerState, type Credential } from './state.ts';
import { Tap } from './tap.ts';
import { vendorOfHost, VendorAddresses } from './vendors.ts';
import { type NamesOptions, WorkloadNames } from './names.ts';

export interface ControllerOptions {
  readonly url: string;
  readonly otlp: string;
  readonly token: string | undefined;
  readonly instance: string | undefined;
  readonly folder: string;
  readonly proc: string;
  readonly agent: readonly string[];
  readonly sdk: Omit<SdkPlace, 'out'>;
  readonly hosts: readonly string[];
  readonly names: NamesOptions;
  /** What the agent is given of the environment beside its endpoint. */
  readonly env: Readonly<Record<string, string>>;
}

const VERSION = '0.1.0';
const MAX_SERVICES = 500;
const WAIT_SECONDS = 50;
const QUICK_MS = 5_000;
const NEWS_MS = 500;
const MAX_BACKOFF_MS = 60_000;

type Mode = 'linux' | 'docker' | 'kubernetes';
const modeOf = (): Mode =>
  existsSync('/var/run/secrets/kubernetes.io/serviceaccount')
    ? 'kubernetes'
    : existsSync('/var/run/docker.sock')
      ? 'docker'
      : 'linux';

async function enrol(options: ControllerOptions): Promise<Credential> {
  const { url, otlp, token } = options;
  const instance = options.instance ?? hostname();
  if (token === undefined)
    throw new CandelaError(
      'refused',
      'Set CANDELA_ENROL_TOKEN: a token is made under Infrastructure, Controller.',
    );
  const answer = await fetch(new URL('/api/controller/enrol', url), {
    method: 'POST',
    redirect: 'error',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, instance_id: instance }),
    signal: AbortSignal.timeout(30_000),
  });
  const body = await answerOf<{ data?: Record<string, string>; error?: { message?: string } }>(answer);
  if (!answer.ok || body.data === undefined)
    throw new CandelaError('refused', `The platform refused: ${body.error?.message ?? answer.status}`);
  const { apiKey = '', signingKey = '', cluster = '' } = body.data;
  return { url, otlp, apiKey, signingKey, instance, cluster };
}

function reported(service: FoundService, tap: Tap, sdk: SdkPlace, otlp: string) {
  const status = tap.of(service.workload);
  const plan = planOf(service, sdk, otlp);
  const possible = typeof plan !== 'string';
  return {
    service_name: service.name,
    workload_key: service.workload,
    namespace: service.namespace,
    language_runtime: service.runtime,
    llm_providers: [
      ...new Set([...service.vendors, ...(status?.hosts ?? []).flatMap((host) => vendorOfHost(host) ?? [])]),
    ],
    llm_hosts: status?.hosts ?? [],
    llm_packages: service.packages,
    evidence: [...service.evidence, ...((status?.hosts ?? []).length > 0 ? ['server_name'] : [])],
    pod_name: service.pod,
    pid: service.processes[0]?.pid ?? 0,
    exe_path: service.exe,
    container: service.container,
    first_seen: service.firstSeen,
    tap: service.tap,
    sdk: { possible, detail: possible ? plan.path : plan },
    instrumentation_status: status?.state === 'attached' ? 'instrumented' : 'discovered',
    instrumentation_detail: status?.detail ?? '',
    content_captured: status?.content === true,
    agent_observability_status: possible && textAt(plan.path) === plan.text ? 'enabled' : 'none',
    spans: status?.spans ?? 0,
    lost_events: status?.lost ?? 0,
  };
}

interface Answer {
  readonly config?: { readonly custom_llm_hosts: readonly string[] };
  readonly config_hash: string;
  readonly actions: readonly PolledAction[];
  readonly acknowledged: readonly string[];
  readonly truncated: readonly string[];
}

/** Runs until `signal`. @throws CandelaError where another controller holds the folder of its state, or it is let in no more */
export async function runController(
  options: ControllerOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { folder } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = join(folder, 'lock');
  const done = await alone(lock, async () => {
    await lookAfter(options, say, signal);
    return true;
  });
  if (done === undefined) {
    const pid = holderOf(lock);
    throw new CandelaError(
      'conflict',
      `${folder} is in use by ${pid === undefined ? 'another controller' : `the controller with process id ${pid}`}. Stop it, or give this one a folder of its own with --state.`,
    );
  }
}

/** Polls and actions go side by side: a slow action holds up no heartbeat. */
async function lookAfter(
  options: ControllerOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const state = new ControllerState(options.folder);
  let credential = state.credential;
  if (credential === undefined) {
    credential = await enrol(options);
    state.keepCredential(credential);
    say(`enrolled as ${credential.instance} in ${credential.cluster}`);
  }
  // Where the platform and its receiver are is said at each start; who it is was said once.
  const own: Credential = { ...credential, url: options.url, otlp: options.otlp };
  if (options.instance !== undefined && options.instance !== own.instance)
    say(`enrolled as ${own.instance}: for another name give --state a folder of its own, and a token`);
  const sdk: SdkPlace = { ...options.sdk, out: state.folder };
  const vendors = new VendorAddresses();
  const names = new WorkloadNames(options.names);
  const discovery = new Discovery(options.proc, vendors, names);
  const tap = new Tap(options.agent, state.folder, own, options.env, say);
  let hosts = options.hosts;
  let services: readonly FoundService[] = [];
  let shown = '';
  let config_hash = '';
  let interrupt = new AbortController();
  const busy = new Set<string>();

  const look = async () => {
    await Promise.all([vendors.refresh(hosts), names.refresh()]);
    services = discovery.look(tap.connects());
    tap.watch(services, state.wishes);
    const now = JSON.stringify(services.map((one) => reported(one, tap, sdk, own.otlp)));
    // What is new is told at once.
    if (now !== shown) interrupt.abort();
    shown = now;
  };
  let lookedAt: ReadonlySet<number> = new Set();
  await look();
  const looking = setInterval(() => void look().catch((error: unknown) => say(String(error))), QUICK_MS);
  looking.unref();
  // What the kernel tells of is looked at before it is over.
  const news = setInterval(() => {
    const connects = tap.connects();
    if (connects.length === 0) return;
    const found = discovery.isNews(connects, lookedAt);
    lookedAt = new Set(connects.map(({ pid }) => pid));
    if (found) void look().catch((error: unknown) => say(String(error)));
  }, NEWS_MS);
  news.unref();

  const act = (action: PolledAction) => {
    if (busy.has(action.id)) return;
    busy.add(action.id);
    void perform(action, { state, credential: own, tap, sdk, services: () => services })
      .then((result) => {
        if (result !== undefined)
          say(`${action.action_type} ${action.service_key}: ${result.error ?? result.status}`);
      })
      .catch((error: unknown) => say(String(error)))
      .finally(() => {
        busy.delete(action.id);
        interrupt.abort();
      });
  };

  let failures = 0;
  while (!signal.aborted) {
    interrupt = new AbortController();
    const truncated =
      services.length > MAX_SERVICES ? [`services: ${MAX_SERVICES} of ${services.length} are reported`] : [];
    const wait = failures === 0 && config_hash !== '' ? WAIT_SECONDS : 0;
    try {
      const answer = await fetch(new URL(`/api/controller/poll?wait=${wait}`, own.url), {
        method: 'POST',
        redirect: 'error',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${own.apiKey}` },
        body: JSON.stringify({
          instance_id: own.instance,
          cluster_id: own.cluster,
          version: VERSION,
          mode: modeOf(),
          node_name: hostname(),
          services: services.slice(0, MAX_SERVICES).map((one) => reported(one, tap, sdk, own.otlp)),
          action_results: state.results.slice(0, 200),
          resource_attributes: {
            'controller.tap': names.problem === '' ? tap.engine : `${tap.engine}; ${names.problem}`,
          },
          truncated,
          config_hash,
        }),
        signal: AbortSignal.any([signal, interrupt.signal, AbortSignal.timeout((WAIT_SECONDS + 15) * 1_000)]),
      });
      if (answer.status === 401 || answer.status === 403) {
        tap.stop();
        throw new CandelaError(
          'refused',
          // Not by itself: a token that still holds would undo what an administrator decided.
          `The platform lets this controller in no more: it was revoked. To enrol it again, move ${join(state.folder, 'credential.json')} away and start it with a new token in CANDELA_ENROL_TOKEN.`,
        );
      }
      if (!answer.ok) throw new Error(`the platform answered ${answer.status}`);
      const body = (await answer.json()) as Answer;
      failures = 0;
      config_hash = body.config_hash;
      if (body.config !== undefined) hosts = [...options.hosts, ...body.config.custom_llm_hosts];
      state.forget(body.acknowledged);
      for (const action of body.actions) act(action);
      for (const what of body.truncated) say(`truncated: ${what}`);
    } catch (thrown) {
      if (thrown instanceof CandelaError) throw thrown;
      if (signal.aborted) break;
      if (interrupt.signal.aborted) continue;
      failures += 1;
      say(`no poll: ${reasonOf(thrown)}`);
      await sleep(Math.min(MAX_BACKOFF_MS, 500 * 2 ** failures), undefined, { signal }).catch(
        () => undefined,
      );
    }
  }
  clearInterval(looking);
  clearInterval(news);
  tap.stop();
}

/** `fetch` says only that it failed; its cause says why. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { cause } = thrown;
  if (!(cause instanceof Error)) return thrown.message;
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
