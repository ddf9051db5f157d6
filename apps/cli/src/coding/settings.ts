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
  try {
    return JSON.parse(readFileSync(config, 'utf8')) as Configured;
  } catch (thrown) {
    throw new CandelaError('bad_request', `${config} is not valid JSON; correct or delete it.`, {
      cause: thrown,
    });
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

/** How much is sent: the stricter of what the person, the environment and the organisation say. */
export async function drainSettingsOf(
  env: World['env'],
  paths: Paths,
): Promise<{ settings: DrainSettings; target: Target }> {
  const configured = readConfigured(paths);
  const target = targetOf(env, configured);
  const policy = await policyOf(target);
  const wanted = modeOf(env['PLATFORM_CODING_CONTENT_CAPTURE']) ?? modeOf(configured.capture) ?? 'full';
  const own = configured.repositories ?? [];
  const user = env['PLATFORM_CODING_USER'] ?? configured.user;
  return {
    target,
    settings: {
      home: paths.home,
      capture: stricter(wanted, policy.capture ?? 'full'),
      repositories: own.length > 0 ? own : policy.repositories,
      host: hostname(),
      environment: configured.environment ?? 'default',
      version: VERSION,
      ...(user && { user }),
    },
  };
}

export function modeOf(text: string | undefined): CaptureMode | undefined {
  return CAPTURE_MODES.find((mode) => mode === text);
}

let known:
  | { readonly capture?: CaptureMode; readonly repositories: readonly string[]; readonly at: number }
  | undefined;

/** The organisation's policy, asked for once in five minutes; a platform that is away changes nothing that was known. */
async function policyOf({
  endpoint,
  apiKey,
}: Target): Promise<{ capture?: CaptureMode; repositories: readonly string[] }> {
  if (known !== undefined && Date.now() - known.at < 300_000) return known;
  try {
    const response = await fetch(`${endpoint.replace(/\/+$/, '')}/api/coding-agents/policy`, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      redirect: 'error',
      signal: AbortSignal.timeout(POLICY_MS),
    });
    const body = (response.ok ? await response.json() : {}) as {
      capture?: string;
      repositories?: readonly string[];
    };
    const capture = modeOf(body.capture);
    known = { ...(capture && { capture }), repositories: body.repositories ?? [], at: Date.now() };
  } catch {
    known ??= { repositories: [], at: 0 };
  }
  return known;
}
