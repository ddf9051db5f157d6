import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_BINARY } from '@candela/testkit';
import { expect, it } from 'vitest';
import { ask, OWNER } from './people.ts';
import { accessibilityFindings, soon, type Stage } from './stage.ts';

const OPENSSL = 'openssl';
const CLI = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url));
const AGENT = fileURLToPath(new URL('../../apps/collector/src/main.ts', import.meta.url));
const PROGRAM = `import http.client, json, ssl, sys
c = http.client.HTTPSConnection("127.0.0.1", int(sys.argv[1]), context=ssl._create_unverified_context())
c.connect()
print("ready", flush=True)
for line in sys.stdin:
    c.request("POST", "/v1/messages", json.dumps({"model": "claude-x", "messages": [{"role": "user", "content": "what is said"}]}), {"x-api-key": "sk-never-seen"})
    c.getresponse().read()
    print("called", flush=True)
`;
const SPOKEN = {
  id: 'm',
  type: 'message',
  model: 'claude-x',
  usage: { input_tokens: 11, output_tokens: 42 },
};
const PHONE = { width: 390, height: 844 };

/** A program that calls a vendor over TLS, one call for each line that it is given. */
class Shop {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'candela-shop-'));
  readonly #server: ReturnType<typeof createServer>;
  #child: ChildProcess | undefined;

  constructor() {
    const [key, cert] = [join(this.folder, 'k.pem'), join(this.folder, 'c.pem')];
    const subject = ['-subj', '/CN=localhost', '-days', '1', '-nodes', '-newkey', 'rsa:2048'];
    execFileSync(OPENSSL, ['req', '-x509', ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    this.#server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      request.resume().once('end', () => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(SPOKEN));
      });
    });
    this.#server.keepAliveTimeout = 0;
  }
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }
  async open(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    const script = join(this.folder, 'shop.py');
    writeFileSync(script, PROGRAM);
    const child = spawn('python3', [script, String(this.port)], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child = child;
    await once(child.stdout, 'data');
  }
  async call(): Promise<void> {
    const { stdin, stdout } = this.#child ?? {};
    stdin?.write('go\n');
    if (stdout) await once(stdout, 'data');
  }
  close(): void {
    this.#child?.kill('SIGKILL');
    this.#server.closeAllConnections();
    this.#server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Infrastructure, Controller: a real controller with the real agent, and a program that nobody changed. */
export function describeController(stageOf: () => Stage, heard: string[][]): void {
  it('a program is found, switched on with a reason, seen, and switched off again', async () => {
    const stage = stageOf();
    const { page, complaints } = await stage.open('/controller?project=default', { as: OWNER });
    heard.push(complaints);
    await page.getByText('Enrol the first host').waitFor();
    await page.getByRole('button', { name: 'Enrol a host' }).click();
    await page.getByRole('button', { name: 'Make a token' }).click();
    const dialog = page.getByRole('dialog');
    const command = await dialog.getByText(/^CANDELA_ENROL_TOKEN=/).innerText();
    const token = /TOKEN=(\S+)/.exec(command)?.[1] ?? '';
    expect(token).toMatch(/^ce_/);
    expect(await accessibilityFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Done' }).click();

    const shop = new Shop();
    await shop.open();
    const state = join(shop.folder, 'state');
    const controller = spawn(
      NODE_BINARY,
      [
        CLI,
        'controller',
        '--url',
        stage.platform.http,
        '--otlp',
        stage.platform.otlpHttp,
        '--instance',
        'test-host',
        '--state',
        state,
        '--host',
        `127.0.0.1:${shop.port}`,
        '--agent',
        `${NODE_BINARY} ${AGENT}`,
      ],
      {
        stdio: ['ignore', 'ignore', 'ignore'],
        env: { PATH: process.env['PATH'] ?? '', CANDELA_ENROL_TOKEN: token },
      },
    );
    try {
      const services = page.getByRole('region', { name: 'Services' });
      const row = services.getByRole('row').filter({ hasText: 'shop.py' });
      await row.waitFor({ timeout: 20_000 });
      expect(await row.innerText()).toContain('custom');
      expect(await accessibilityFindings(page)).toEqual([]);

      await row.getByRole('button', { name: 'Switch on shop.py' }).click();
      const on = page.getByRole('dialog');
      const confirm = on.getByRole('button', { name: 'Switch on', exact: true });
      await on.getByLabel('Reason').fill('see what it spends');
      // Content is a consent of its own: without the second confirmation nothing can be sent.
      await on.getByLabel('Keep what is said, too').check();
      expect(await confirm.isDisabled()).toBe(true);
      await on.getByLabel(/may have messages/).check();
      expect(await confirm.isDisabled()).toBe(false);
      await on.getByLabel('Keep what is said, too').uncheck();
      expect(await accessibilityFindings(page)).toEqual([]);
      await confirm.click();
      const badge = row.getByText(/^(on|failed)$/);
      await badge.waitFor({ timeout: 20_000 });
      if ((await badge.innerText()) === 'failed') {
        console.warn(`SKIPPED, the tap in the browser: ${await row.innerText()}`);
        return;
      }
      await shop.call();
      await shop.call();
      await soon(async () => {
        const found = await ask<readonly { readonly name: string }[]>(
          page,
          stage,
          'POST',
          '/api/telemetry/traces/search',
          {
            data: { q: 'name:"chat claude-x"', limit: 10 },
          },
        );
        return found.length;
      }).toBe(2);
      await soon(() => row.innerText()).toMatch(/\b2\b/);

      const traces = await stage.open('/traces?project=default&from=-1h', { as: OWNER });
      heard.push(traces.complaints);
      const seen = traces.page.getByRole('row').filter({ hasText: 'chat claude-x' }).first();
      await seen.waitFor();
      await seen.click();
      await traces.page.getByText('platform.ebpf.content').first().waitFor();
      const text = await traces.page.locator('body').innerText();
      expect(text).toContain('claude-x');
      for (const secret of ['sk-never-seen', 'what is said']) expect(text).not.toContain(secret);

      await row.getByRole('button', { name: 'Switch off shop.py' }).click();
      await page.getByLabel('Reason').fill('seen enough');
      await page.getByRole('dialog').getByRole('button', { name: 'Switch off', exact: true }).click();
      await row.getByText('off', { exact: true }).waitFor();
      const history = page.getByRole('region', { name: 'History' }).first();
      await soon(() => history.innerText()).toContain('seen enough');
      expect(await history.innerText()).toContain('see what it spends');

      for (const [theme, size] of [
        ['light', { width: 1440, height: 900 }],
        ['dark', { width: 1440, height: 900 }],
        ['light', PHONE],
      ] as const) {
        const other = await stage.open('/controller?project=default', { as: OWNER, colorScheme: theme });
        heard.push(other.complaints);
        await other.page.setViewportSize(size);
        await other.page.getByRole('region', { name: 'History' }).first().waitFor();
        expect(await accessibilityFindings(other.page), `${theme} ${size.width}`).toEqual([]);
        const wide = await other.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        expect(wide).toBeLessThanOrEqual(0);
        const { SHOTS: folder } = process.env;
        if (folder)
          await other.page.screenshot({ path: join(folder, `controller-${theme}-${size.width}.png`) });
      }
    } finally {
      controller.kill('SIGTERM');
      // It writes to the folder until it has ended.
      if (controller.exitCode === null && controller.signalCode === null) await once(controller, 'exit');
      shop.close();
    }
  });
}
