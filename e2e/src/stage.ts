import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PlatformProcess, startPlatform } from '@candela/testkit';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import axe from 'axe-core';
import { expect, onTestFinished, TestRunner } from 'vitest';
import { launchBrowser } from './chromium.ts';
import { type SeedTrace, sendTrace } from './otlp.ts';

export const WEB_DIST = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'apps', 'web', 'dist');

/** As `expect.poll`, with patience for a busy machine. */
export const soon = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 20_000 });

const PROBE = '/intercepted';

/**
 * As `route` of a page that is there already, in force when it is done: of what such a page asks for, Chromium lets some
 * past for a moment after it was told to hold everything.
 */
export async function intercept(page: Page, ...route: Parameters<Page['route']>): Promise<void> {
  await page.route(...route);
  await page.route(`**${PROBE}`, (probe) => probe.fulfill({ body: PROBE }));
  const ask = `fetch('${PROBE}').then((answer) => answer.text())`;
  let answer = '';
  while (answer !== PROBE) answer = await page.evaluate<string>(ask);
  await page.unroute(`**${PROBE}`);
}

/** A page with a record of everything a clean page does not do. */
interface WatchedPage {
  readonly page: Page;
  /** Console errors and warnings, uncaught errors, policy violations, calls to other hosts. */
  readonly complaints: string[];
}

interface OpenOptions {
  readonly colorScheme?: 'light' | 'dark';
  /** Default: UTC. */
  readonly timezoneId?: string;
  /** Sent with every request of the page. */
  readonly headers?: Record<string, string>;
  /** Signed in as this person before the page is opened. */
  readonly as?: { readonly email: string; readonly password: string };
}

/** The whole platform on an empty data folder, and a browser in front of it. */
export interface Stage {
  readonly platform: PlatformProcess;
  readonly browser: Browser;
  /** Sends traces and waits until they, and all that is derived of them, can be read. */
  seed(...traces: SeedTrace[]): Promise<void>;
  /** Waits until all that was sent can be read: what a page asks for before then, it does not ask for again. */
  settled(): Promise<void>;
  open(path: string, options?: OpenOptions): Promise<WatchedPage>;
  close(): Promise<void>;
}

/** Starts everything; `env` adds settings of the platform. */
export async function openStage(env: Readonly<Record<string, string>> = {}): Promise<Stage> {
  if (!existsSync(join(WEB_DIST, 'index.html')))
    throw new Error('The web UI is not built. Run "npm run e2e", which builds it first.');
  const dataDir = await mkdtemp(join(tmpdir(), 'candela-e2e-'));
  const platform = await startPlatform({
    dataDir,
    newStore: true,
    env: { PLATFORM_RATE_LIMIT: '100000', PLATFORM_SIGN_IN_LIMIT: '1000', ...env },
  });
  const browser = await launchBrowser();
  const contexts: BrowserContext[] = [];
  return {
    platform,
    browser,
    async seed(...traces) {
      for (const trace of traces) await sendTrace(platform.otlpHttp, trace);
      await untilSettled(platform);
      // To ask for each of hundreds takes as long as a test.
      const last = traces.at(-1);
      if (last !== undefined) await untilStored(platform, last);
    },
    settled: () => untilSettled(platform),
    async open(path, options = {}) {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        colorScheme: options.colorScheme ?? 'dark',
        timezoneId: options.timezoneId ?? 'UTC',
        locale: 'en-GB',
        ...(options.headers ? { extraHTTPHeaders: options.headers } : {}),
      });
      contexts.push(context);
      // Pages that stay open go on asking and drawing, beside those of every later test.
      if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => context.close());
      if (options.as) await signIn(context, platform.http, options.as);
      const page = await context.newPage();
      const complaints = watch(page, platform.http);
      await page.goto(`${platform.http}${path}`);
      return { page, complaints };
    },
    async close() {
      for (const context of contexts) await context.close();
      await browser.close();
      await platform.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The session's cookie for everything that the context opens. */
async function signIn(
  context: BrowserContext,
  origin: string,
  who: { email: string; password: string },
): Promise<void> {
  const { email, password } = who;
  const answer = await context.request.post(`${origin}/api/auth/sign-in`, {
    headers: { origin },
    data: { email, password },
  });
  if (!answer.ok()) throw new Error(`${email} could not sign in: ${answer.status()} ${await answer.text()}`);
}

async function untilStored(platform: PlatformProcess, trace: SeedTrace): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const response = await fetch(`${platform.http}/api/telemetry/traces/${trace.traceId}?limit=1`);
    if (response.ok) {
      const body = (await response.json()) as { data: { spanCount: number } };
      if (body.data.spanCount === trace.spans.length) return;
    } else await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Trace ${trace.traceId} did not arrive. ${platform.output().slice(-10).join('\n')}`);
}

/** A request leaves the backlog with the last of what is derived of it: exceptions, counts, hosts. */
async function untilSettled(platform: PlatformProcess): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const response = await fetch(`${platform.http}/api/telemetry/ingest`);
    const { data } = (await response.json()) as { data: { pipeline: { backlogRequests: number } } };
    if (data.pipeline.backlogRequests === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`What was sent is not stored. ${platform.output().slice(-10).join('\n')}`);
}

function watch(page: Page, origin: string): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.type()}: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 500)
      complaints.push(
        `${response.status()} ${response.headers()['x-platform-error-code']} ${response.url()}`,
      );
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith('data:') && !url.startsWith('blob:'))
      complaints.push(`call to ${url}`);
  });
  return complaints;
}

interface AxeFinding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What the accessibility rules (WCAG 2.2 A and AA) find wrong on the page, one line a finding. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  // By the debugger's channel: a script element would be refused by the page's own policy, and rightly.
  await page.evaluate(axe.source);
  const findings = await page.evaluate<AxeFinding[]>(
    `axe.run(document, {
      runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
      // What is right is not described.
      resultTypes: ['violations'],
    }).then((result) => result.violations)`,
  );
  return findings.flatMap((finding) =>
    finding.nodes.map(
      (node) => `${finding.id}: ${finding.help}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`,
    ),
  );
}
