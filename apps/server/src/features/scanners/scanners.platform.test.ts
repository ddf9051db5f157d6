import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROUTES, type RouteDeclaration } from '@candela/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';
import type { Browser } from '../identity/testing/browser.ts';

const has = (program: string): boolean => {
  try {
    execFileSync(program, ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const missing = ['git', 'openssl'].filter((program) => !has(program));
if (missing.length > 0)
  process.stderr.write(`\nSKIPPED: scanners were not tried: no ${missing.join(' and no ')} here\n\n`);

const TOKEN = 'tok-3f9c1a77';
let folder = '';
let server: Server;
let host = '';
let place: Installation;
let owner: Browser;
/** Headers of requests to the git server, to see what a token was sent with. */
const seen: IncomingMessage[] = [];

const git = (cwd: string, ...args: string[]) =>
  execFileSync(
    'git',
    ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'init.defaultBranch=main', ...args],
    { cwd, stdio: 'pipe' },
  );

/** A repository that the server hands out. */
function repository(name: string, files: Readonly<Record<string, string>>): string {
  const work = join(folder, 'work', name);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), content);
  }
  git(work, 'init', '-q');
  git(work, 'add', '-A');
  git(work, 'commit', '-q', '-m', 'x');
  git(folder, 'clone', '-q', '--bare', work, join(folder, 'git', `${name}.git`));
  git(join(folder, 'git', `${name}.git`), 'config', 'uploadpack.allowFilter', 'true');
  return `https://localhost:${host.split(':')[1]}/${name}.git`;
}

/** git's own server program behind HTTPS; some paths behave like hostile servers. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  seen.push(request);
  const url = new URL(request.url ?? '/', 'https://localhost');
  if (url.pathname.startsWith('/moved'))
    return void response.writeHead(302, { location: 'https://169.254.169.254/x.git/info/refs' }).end();
  if (url.pathname.startsWith('/endless')) {
    response.writeHead(401, { 'www-authenticate': 'Basic' });
    const timer = setInterval(() => response.write('x'.repeat(65_536)), 1);
    return void response.on('close', () => clearInterval(timer));
  }
  if (url.pathname.startsWith('/slow')) return;
  if (url.pathname.startsWith('/private') && request.headers.authorization === undefined) {
    return void response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
  }
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      GIT_PROJECT_ROOT: join(folder, 'git'),
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
    },
  });
  request.pipe(child.stdin.on('error', () => undefined));
  const out: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.on('close', () => {
    const all = Buffer.concat(out);
    const end = all.indexOf('\r\n\r\n');
    const headers = Object.fromEntries(
      all
        .toString('latin1', 0, end)
        .split('\r\n')
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    const { Status, ...rest } = headers;
    response.writeHead(Number.parseInt(Status ?? '200', 10), rest).end(all.subarray(end + 4));
  });
}

describe.skipIf(missing.length > 0)('scanners', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'candela-scanners-'));
    mkdirSync(join(folder, 'git'));
    execFileSync(
      'openssl',
      'req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out ca.pem -subj /CN=localhost -addext subjectAltName=DNS:localhost'.split(
        ' ',
      ),
      { cwd: folder, stdio: 'ignore' },
    );
    server = createServer(
      { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(join(folder, 'ca.pem')) },
      answer,
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    host = `localhost:${(server.address() as AddressInfo).port}`;
    place = await openInstallation({
      PLATFORM_SCANNER_HOSTS: host,
      PLATFORM_SCANNER_CA_FILE: join(folder, 'ca.pem'),
    });
    owner = await place.own();
  });
  afterAll(async () => {
    await place?.close();
    server?.closeAllConnections();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const make = async (target: string, more: object = {}) => {
    const made = await owner.call('POST', '/api/scanners', {
      name: `s ${crypto.randomUUID()}`,
      target,
      ...more,
    });
    expect(made.status, made.text).toBe(201);
    return made.data as { id: string; name: string; version: number };
  };
  const scanOf = async (id: string, body: object = {}) =>
    owner.call('POST', `/api/scanners/${id}/scan`, body);
  type Job = {
    id: string;
    status: string;
    error: string | null;
    findingCount: number;
    findings: { ruleId: string; id: string }[];
    ref: string;
  };
  const jobOf = (answered: { text: string }) => (JSON.parse(answered.text) as { job: Job }).job;

  it('answers as the specification shows, with findings, SARIF, packages and their lifecycle', async () => {
    const target = repository('app', {
      'a.py': 'import pickle\nx = pickle.load(f)\n',
      'package-lock.json':
        '{"lockfileVersion":3,"packages":{"node_modules/x":{"version":"1.0.0","license":"MIT"}}}',
    });
    const scanner = await make(target);
    const scanned = await scanOf(scanner.id);
    expect(scanned.status, scanned.text).toBe(200);
    const { connector, job } = JSON.parse(scanned.text) as { connector: object; job: Job };
    expect(connector).toEqual({ id: scanner.id, name: scanner.name, type: 'repository' });
    expect(job).toMatchObject({
      status: 'succeeded',
      target,
      ref: 'main',
      error: null,
      cliVersion: expect.any(String) as string,
      vulnerabilityData: 'none',
      sandbox: 'node-permission',
    });
    expect(job.findings.map(({ ruleId }) => ruleId)).toEqual(['pickle-load', 'vulnerability-data-none']);
    expect((await owner.call('GET', `/api/scanners/jobs/${job.id}/sarif`)).text).toContain('pickle-load');
    expect((await owner.call('GET', `/api/scanners/jobs/${job.id}/bom`)).text).toContain('pkg:npm/x@1.0.0');
    const status = async () => {
      const { text } = await owner.call(
        'GET',
        `/api/scanners/findings?scannerId=${encodeURIComponent(scanner.id)}&detector=deserialization`,
      );
      return (JSON.parse(text) as { data: { status: string; fingerprint: string }[] }).data.map(
        (one) => one.status,
      );
    };
    expect(await status()).toEqual(['new']);
    await scanOf(scanner.id);
    expect(await status()).toEqual(['open']);
    const print = job.findings[0]?.id ?? '';
    expect((await owner.call('PATCH', `/api/scanners/findings/${print}`, { status: 'ignored' })).status).toBe(
      422,
    );
    expect(
      (
        await owner.call('PATCH', `/api/scanners/findings/${print}`, {
          status: 'ignored',
          reason: 'trusted file',
        })
      ).status,
    ).toBe(200);
    await scanOf(scanner.id);
    expect(await status()).toEqual(['ignored']);
    await owner.call('PATCH', `/api/scanners/findings/${print}`, { status: 'open' });
    // The defect is mended in the repository, then it comes back.
    const work = join(folder, 'work', 'app');
    const push = (text: string) => {
      writeFileSync(join(work, 'a.py'), text);
      git(work, 'commit', '-qam', 'y');
      git(work, 'push', '-q', join(folder, 'git', 'app.git'), 'HEAD:main');
    };
    push('x = 1\n');
    await scanOf(scanner.id);
    expect(await status()).toEqual(['fixed']);
    push('import pickle\nx = pickle.load(f)\n');
    await scanOf(scanner.id);
    expect(await status()).toEqual(['reopened']);
    expect((await owner.call('DELETE', `/api/scanners/${scanner.id}`)).status).toBe(200);
    expect(await status()).toEqual([]);
  });

  it('keeps the token sealed, sends it to its own repository only, and names it nowhere', async () => {
    const target = repository('private', { 'x.txt': 'x' });
    const open = await make(target);
    const refused = jobOf(await scanOf(open.id));
    expect(refused).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/not public. Add an access token/) as string,
    });
    const scanner = await make(target, { token: TOKEN });
    seen.length = 0;
    expect(jobOf(await scanOf(scanner.id)).status).toBe('succeeded');
    const sent = Buffer.from(`x-access-token:${TOKEN}`).toString('base64');
    expect(seen.some(({ headers }) => headers.authorization === `Basic ${sent}`)).toBe(true);
    const other = repository('other', { 'x.txt': 'x' });
    seen.length = 0;
    expect(jobOf(await scanOf(scanner.id, { target: other })).status).toBe('succeeded');
    expect(seen.some(({ headers }) => headers.authorization !== undefined)).toBe(false);
    expect((await scanOf(scanner.id, { token: TOKEN })).status).toBe(400);
    const everything = [
      await owner.call('GET', '/api/scanners'),
      await owner.call('GET', `/api/scanners/${scanner.id}/jobs`),
      await owner.call('GET', '/api/audit'),
    ];
    for (const { text } of everything) expect(text).not.toContain(TOKEN);
  });

  it('ends hostile and broken repositories in a named error', async () => {
    const base = `https://${host}`;
    const ended = async (target: string, more: object = {}) =>
      jobOf(await scanOf((await make(target, more)).id));
    expect(await ended(`${base}/moved/x.git`)).toMatchObject({ status: 'failed' });
    expect(await ended(`${base}/nothing.git`)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/no such repository/) as string,
    });
    expect(await ended('https://example.org/x/y')).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/are not scanned. Allowed: github.com/) as string,
    });
    expect(await ended(repository('refs', { 'x.txt': 'x' }), { ref: 'absent' })).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/no branch or tag "absent"/) as string,
    });
    for (const target of [
      'http://github.com/a/b',
      'https://user:pw@github.com/a/b',
      'file:///etc',
      'https://github.com/a/b?x=1',
      '--upload-pack=x',
    ]) {
      expect((await owner.call('POST', '/api/scanners', { name: 'x', target })).status, target).toBe(400);
    }
    expect(
      (
        await owner.call('POST', '/api/scanners', {
          name: 'x',
          target: 'https://github.com/a/b',
          ref: '../x',
        })
      ).status,
    ).toBe(400);
    const unknown = await owner.call('POST', '/api/scanners', {
      name: 'x',
      target: 'https://github.com/a/b',
      detectors: 'nonsense',
    });
    expect(unknown.text).toMatch(/no detector .*nonsense.*secrets, agent-sdk/);
  });

  it('runs one job a scanner, and ends it within a second when it is cancelled', async () => {
    const scanner = await make(`https://${host}/slow/x.git`);
    const started = await owner.call(
      'POST',
      `/api/scanners/${scanner.id}/scan`,
      {},
      { prefer: 'respond-async' },
    );
    const job = jobOf(started);
    expect(job.status).toBe('queued');
    expect((await scanOf(scanner.id)).text).toContain(job.id);
    await expect
      .poll(async () => jobOf(await owner.call('GET', `/api/scanners/jobs/${job.id}`)).status, {
        timeout: 30_000,
      })
      .toBe('running');
    await owner.call('POST', `/api/scanners/jobs/${job.id}/cancel`);
    await expect
      .poll(async () => jobOf(await owner.call('GET', `/api/scanners/jobs/${job.id}`)).status, {
        timeout: 30_000,
      })
      .toBe('cancelled');
  });

  it('lets viewers read and not scan, and leaves an audit row at every change', async () => {
    const viewer = await place.join(owner, 'viewer');
    const scanner = await make(repository('viewed', { 'x.txt': 'x' }));
    expect((await viewer.browser.call('GET', '/api/scanners')).status).toBe(200);
    expect((await viewer.browser.call('POST', `/api/scanners/${scanner.id}/scan`, {})).status).toBe(403);
    const { version, ...rest } = JSON.parse((await owner.call('GET', '/api/scanners')).text).data.find(
      (one: { id: string }) => one.id === scanner.id,
    );
    const { name, target, ref, detectors, flags, scheduleHours, licencePolicy } = rest;
    const body = { name: `${name} 2`, target, ref, detectors, flags, scheduleHours, licencePolicy, version };
    expect((await owner.call('PUT', `/api/scanners/${scanner.id}`, body)).status).toBe(200);
    expect((await owner.call('PUT', `/api/scanners/${scanner.id}`, body)).status).toBe(409);
    const audit = (await owner.call('GET', '/api/audit?limit=200')).text;
    for (const action of [
      'scanner.create',
      'scanner.update',
      'scanner.scan',
      'scanner.cancel',
      'scanner.delete',
      'finding.ignore',
    ])
      expect(audit).toContain(action);
    const changing = Object.values<RouteDeclaration>(ROUTES).filter(
      ({ tag, method }) => tag === 'Scanners' && method !== 'GET',
    );
    expect(changing.map(({ id }) => id).toSorted()).toEqual([
      'cancelScannerJob',
      'createScanner',
      'deleteScanner',
      'startScan',
      'updateFinding',
      'updateScanner',
    ]);
  });
});
