import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, type Logger, type Role, silentLogger } from '@candela/kernel';
import { newStoreIn } from '@candela/telemetry-store/testing';
import { readConfig } from '../../../config.ts';
import { createMetrics } from '../../../metrics.ts';
import { type Platform, startPlatform } from '../../../platform.ts';
import { type Browser, openBrowser } from './browser.ts';

export const PASSWORD = 'correct horse battery';
export const OWNER = { email: 'owner@example.com', name: 'Olga Owner', password: PASSWORD };

export interface Installation {
  readonly platform: Platform;
  readonly dir: string;
  /** Time as the platform sees it; tests move it. */
  readonly clock: Clock & { shift: number; frozenAt: number | undefined };
  browser(): Browser;
  /** Makes the first owner with the link; the browser is signed in. */
  own(): Promise<Browser>;
  /** Somebody invited by the owner, signed in. */
  join(
    owner: Browser,
    role: Role,
    more?: object,
  ): Promise<{ readonly browser: Browser; readonly id: string; readonly email: string }>;
  close(): Promise<void>;
}

let people = 0;

/** Makes the first owner of a platform with the link; the browser is signed in. */
export async function ownerOf(platform: Platform): Promise<Browser> {
  const owner = openBrowser(platform.http);
  const token = new URL(platform.setupUrl ?? '').searchParams.get('token');
  const made = await owner.call('POST', '/api/auth/setup', { ...OWNER, token });
  if (made.status !== 201) throw new Error(made.text);
  return owner;
}

/** Somebody invited by the owner, signed in. */
export async function joined(
  platform: Platform,
  owner: Browser,
  role: Role,
  more: object = {},
): Promise<{ readonly browser: Browser; readonly id: string; readonly email: string }> {
  people += 1;
  const email = `${role}-${people}@example.com`;
  const invited = await owner.call('POST', '/api/organisation/invitations', { email, role, ...more });
  if (invited.status !== 201) throw new Error(invited.text);
  const token = new URL(String(invited.data.link)).searchParams.get('token');
  const browser = openBrowser(platform.http);
  const accepted = await browser.call('POST', '/api/auth/invitation/accept', {
    token,
    name: `The ${role}`,
    password: PASSWORD,
  });
  if (accepted.status !== 200) throw new Error(accepted.text);
  return { browser, id: String(accepted.data.person.id), email };
}

/** The whole platform in this process, with endpoints on real sockets and stores in a directory of its own. */
export async function openInstallation(
  env: Readonly<Record<string, string>> = {},
  logger: Logger = silentLogger,
): Promise<Installation> {
  const dir = await mkdtemp(join(tmpdir(), 'candela-people-'));
  newStoreIn(join(dir, 'telemetry'));
  const clock: Installation['clock'] = {
    shift: 0,
    frozenAt: undefined,
    now: () => clock.frozenAt ?? Date.now() + clock.shift,
  };
  const config = readConfig({
    PLATFORM_PORT: '0',
    PLATFORM_OTLP_HTTP_PORT: '0',
    PLATFORM_OTLP_GRPC_PORT: '0',
    PLATFORM_DATA_DIR: dir,
    PLATFORM_LOCAL_COLLECTOR: 'false',
    PLATFORM_RATE_LIMIT: '100000',
    PLATFORM_WRONG_KEY_LIMIT: '100000',
    PLATFORM_SIGN_IN_LIMIT: '1000',
    ...env,
  });
  const platform = await startPlatform(config, { logger, metrics: createMetrics(), clock });
  const browser = () => openBrowser(platform.http);
  return {
    platform,
    dir,
    clock,
    browser,
    own: () => ownerOf(platform),
    join: (owner, role, more) => joined(platform, owner, role, more),
    async close() {
      await platform.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
