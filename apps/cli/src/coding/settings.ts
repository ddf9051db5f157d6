import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import {
  CAPTURE_MODES,
  type CaptureMode,
  type DrainSettings,
  stricter,
  type Target,
} from '@candela/coding-agents';
import { CandelaError } from '@candela/kernel';
import type { World } from '../command.ts';

/** What a person configured, in `candela/coding.json` of their configuration folder. */
export interface Configured {
  readonly endpoint?: string;
  readonly apiKey?: string;
  readonly environment?: string;
  readonly capture?: CaptureMode;
  readonly repositories?: readonly string[];
  readonly user?: string;
}

export interface Paths {
  readonly home: string;
  /** Spool, sessions, what was installed. */
  readonly state: string;
  readonly config: string;
}

const VERSION = '0.1.0';
const ENDPOINT = 'http://127.0.0.1:3000';
const POLICY_MS = 3000;

/** @throws CandelaError where there is no home folder */
export function pathsOf({ env }: Pick<World, 'env'>): Paths {
  const home = env['HOME'] ?? env['USERPROFILE'] ?? '';
  if (!isAbsolute(home))
    throw new CandelaError('bad_request', 'HOME is not set: there is no folder to keep events in.');
  const folder = (name: string, fallback: string) => {
    const given = env[name] ?? '';
    return isAbsolute(given) ? given : join(home, fallback);
  };
  return {
    home,
    state: join(folder('XDG_STATE_HOME', '.local/state'), 'candela', 'coding'),
    config: join(folder('XDG_CONFIG_HOME', '.config'), 'candela', 'coding.json'),
  };
}

/** @throws CandelaError where the file is malformed */
export function readConfigured({ config }: Paths): Configured {
  if (!existsSync(config)) return {};
  const read = readJson(config);
  if (read === undefined)
    throw new CandelaError('bad_request', `${config} is not valid JSON; correct or delete it.`);
  // A mistyped mode must not be taken for "full".
  const wrong = Object.entries(read).find(
    ([key, value]) =>
      !(key === 'repositories' ? Array.isArray(value) && value.every(isText) : isText(value)) ||
      (key === 'capture' && modeOf(String(value)) === undefined),
  );
  if (wrong !== undefined)
    throw new CandelaError('bad_request', `${config}: "${wrong[0]}" cannot be right; correct or delete it.`);
  return read;
}

const isText = (value: unknown): value is string => typeof value === 'string';

function readJson(file: string): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? { ...read } : undefined;
  } catch {
    return undefined;
  }
}

export function writeConfigured({ config }: Paths, configured: Configured): void {
  mkdirSync(dirname(config), { recursive: true, mode: 0o700 });
  writeFileSync(config, `${JSON.stringify(configured, null, 2)}\n`, { mode: 0o600 });
}

/** The environment, else what was configured, else the default. */
export function targetOf(env: World['env'], configured: Configured): Target {
  const apiKey = env['PLATFORM_API_KEY'] ?? configured.apiKey;
  return {
    endpoint: env['PLATFORM_OTLP_ENDPOINT'] ?? configured.endpoint ?? ENDPOINT,
    ...(apiKey && { apiKey }),
  };
}

/**
 * What the person and the environment say, without what the organisation says.
 *
 * @throws CandelaError where a setting is malformed
 */
export function ownSettingsOf(env: World['env'], paths: Paths): { settings: DrainSettings; target: Target } {
  const configured = readConfigured(paths);
  const named = env['PLATFORM_CODING_CONTENT_CAPTURE'] || undefined;
  if (named !== undefined && modeOf(named) === undefined)
    throw new CandelaError(
      'bad_request',
      `PLATFORM_CODING_CONTENT_CAPTURE is one of ${CAPTURE_MODES.join(', ')}.`,
    );
  const user = env['PLATFORM_CODING_USER'] ?? configured.user;
  return {
    target: targetOf(env, configured),
    settings: {
      home: paths.home,
      capture: modeOf(named) ?? configured.capture ?? 'full',
      repositories: listsOf(configured.repositories),
      host: hostname(),
      environment: configured.environment ?? 'default',
      version: VERSION,
      ...(user && { user }),
    },
  };
}

/**
 * How much is sent: the stricter of what the person, the environment and the organisation say.
 *
 * @throws CandelaError where a setting is malformed, or what the organisation allows was never heard
 */
export async function drainSettingsOf(
  env: World['env'],
  paths: Paths,
): Promise<{ settings: DrainSettings; target: Target }> {
  const { settings, target } = ownSettingsOf(env, paths);
  const policy = await policyOf(target, join(paths.state, 'policy.json'));
  return {
    target,
    settings: {
      ...settings,
      capture: stricter(settings.capture, policy.capture),
      repositories: [...settings.repositories, ...listsOf(policy.repositories)],
    },
  };
}

const listsOf = (list: readonly string[] = []) => (list.length > 0 ? [list] : []);

export function modeOf(text: string | undefined): CaptureMode | undefined {
  return CAPTURE_MODES.find((mode) => mode === text);
}

interface Policy {
  readonly endpoint: string;
  readonly capture: CaptureMode;
  readonly repositories: readonly string[];
}

let known: (Policy & { readonly at: number }) | undefined;

/**
 * The organisation's policy, asked for once in five minutes. While the platform is away what it said last holds, also
 * over restarts; before it was ever heard nothing is mapped, since what is mapped is sent as it is.
 */
async function policyOf({ endpoint, apiKey }: Target, file: string): Promise<Policy> {
  if (known !== undefined && known.endpoint === endpoint && Date.now() - known.at < 300_000) return known;
  let failure: string;
  try {
    const response = await fetch(`${endpoint.replace(/\/+$/, '')}/api/coding-agents/policy`, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      redirect: 'error',
      signal: AbortSignal.timeout(POLICY_MS),
    });
    const body = response.ok ? ((await response.json()) as Record<string, unknown>) : {};
    const capture = modeOf(String(body['capture']));
    // Another receiver of OTLP has no such route, and no policy.
    if (capture !== undefined || response.status === 404 || response.status === 405) {
      const repositories = Array.isArray(body['repositories']) ? body['repositories'].filter(isText) : [];
      known = { endpoint, capture: capture ?? 'full', repositories, at: Date.now() };
      keep(file, known);
      return known;
    }
    failure =
      response.status === 401 || response.status === 403
        ? `The platform refuses the key (${response.status}). Set one that may ingest: candela coding configure --api-key KEY`
        : `${endpoint} answered ${response.status} when asked what may be sent`;
  } catch {
    failure = `${endpoint} cannot be reached`;
  }
  const before = known ?? readJson(file);
  const capture = modeOf(String(before?.capture));
  if (before?.endpoint === endpoint && capture !== undefined && Array.isArray(before.repositories))
    return { endpoint, capture, repositories: before.repositories.filter(isText) };
  throw new CandelaError('overloaded', `${failure}: what may be sent is not known, so events wait.`);
}

function keep(file: string, { endpoint, capture, repositories }: Policy): void {
  try {
    writeFileSync(file, JSON.stringify({ endpoint, capture, repositories }), { mode: 0o600 });
  } catch {
    // No state folder, or a full disk: then it is asked for again.
  }
}
