import { execFileSync, spawn } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROUTES, type RouteDeclaration, SCANNER_DETECTORS } from '@candela/contract';
import { DETECTORS } from '@candela/scanners';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';
import { cloneRepository } from './clone.ts';
import { startConnectProxy } from './connect-proxy.ts';
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

const signer = generateKeyPairSync('ed25519');
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

/** A zip of files, as `git archive` makes it. */
function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const name = crypto.randomUUID();
  repository(name, files);
  return git(join(folder, 'work', name), 'archive', '--format=zip', 'HEAD');
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
    writeFileSync(join(folder, 'signers.pem'), signer.publicKey.export({ type: 'spki', format: 'pem' }));
    place = await openInstallation({
      PLATFORM_SCANNER_RULE_KEYS_FILE: join(folder, 'signers.pem'),
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

  it('has the detectors that the API names', () => {
    expect(DETECTORS.map(({ id }) => id)).toEqual(SCANNER_DETECTORS);
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
    const put = async (version: number, change: object) =>
      (
        await owner.call('PUT', `/api/scanners/${scanner.id}`, {
          name: scanner.name,
          target: other,
          ref: null,
          detectors: '',
          flags: {},
          scheduleHours: null,
          licencePolicy: { allow: [], deny: [] },
          version,
          ...change,
        })
      ).status;
    expect(await put(1, {})).toBe(422);
    expect(await put(1, { target })).toBe(200);
    expect(await put(2, { token: 'another' })).toBe(200);
    expect(await put(3, { target, token: null })).toBe(200);
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

  it('ends trees that attack git or us in a named error, and leaves nothing behind', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('candela-clone-'));
    const ended = async (target: string) => jobOf(await scanOf((await make(target)).id));
    const feed = (cwd: string, input: string | Buffer, ...args: string[]) =>
      execFileSync('git', args, { cwd, input, stdio: ['pipe', 'pipe', 'pipe'] })
        .toString()
        .trim();
    const plain = repository('plain', { 'x.py': 'import pickle\npickle.load(x)\n' });
    const bare = join(folder, 'git', 'plain.git');
    const copy = (name: string, tree: string) => {
      const commit = feed(
        bare,
        '',
        '-c',
        'user.name=t',
        '-c',
        'user.email=t@example.com',
        'commit-tree',
        '-m',
        'x',
        tree,
      );
      git(folder, 'clone', '-q', '--bare', bare, join(folder, 'git', `${name}.git`));
      const own = join(folder, 'git', `${name}.git`);
      git(own, 'fetch', '-q', bare, commit);
      git(own, 'update-ref', 'refs/heads/main', commit);
      git(own, 'config', 'uploadpack.allowFilter', 'true');
      return plain.replace('plain', name);
    };
    git(bare, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    // Ten entries a level: ten million files out of seven small trees.
    const blob = feed(bare, 'x', 'hash-object', '-w', '--stdin');
    let tree = feed(
      bare,
      Array.from({ length: 10 }, (_, n) => `100644 blob ${blob}\tf${n}\n`).join(''),
      'mktree',
    );
    for (let level = 0; level < 6; level += 1)
      tree = feed(
        bare,
        Array.from({ length: 10 }, (_, n) => `040000 tree ${tree}\td${n}\n`).join(''),
        'mktree',
      );
    expect(await ended(copy('bomb', tree))).toMatchObject({
      status: 'failed',
      error: 'The repository has more than 100000 files.',
    });
    const modules = feed(
      bare,
      '[submodule "a"]\n\tpath = a\n\turl = -u./payload\n',
      'hash-object',
      '-w',
      '--stdin',
    );
    expect(
      await ended(copy('submodule', feed(bare, `100644 blob ${modules}\t.gitmodules\n`, 'mktree'))),
    ).toMatchObject({ status: 'failed', error: expect.stringContaining('repository-hostile') as string });
    // A name that is no UTF-8, and a link out of the tree: not read, and counted.
    const names = Buffer.concat([
      Buffer.from(`100644 blob ${blob}\tbad-`),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(`.py\x00120000 blob ${blob}\tlink.py\x00`),
    ]);
    const odd = await scanOf((await make(copy('names', feed(bare, names, 'mktree', '-z')))).id);
    expect(JSON.parse(odd.text).job).toMatchObject({
      status: 'succeeded',
      coverage: { skipped: { 'names that are no UTF-8': 1, 'links and special files': 1 } },
    });
    const zeros = repository('zeros', { 'zeros.py': '0'.repeat(3_000_000) });
    expect(JSON.parse((await scanOf((await make(zeros)).id)).text).job).toMatchObject({
      status: 'succeeded',
      coverage: { skipped: { 'files that are too large': 1 } },
    });
    const endless = { target: `https://${host}/endless/x.git`, ref: null, token: null, hosts: [] };
    const few = { ...endless, trustedHosts: [host], caFile: join(folder, 'ca.pem'), maxBytes: 1_000_000 };
    await expect(cloneRepository(few, AbortSignal.timeout(60_000))).rejects.toThrow('larger than 1 MiB');
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('candela-clone-'))).toEqual(before);
  });

  it('lets a public name lead to no private address, and a proxy to no second host', async () => {
    const proxy = await startConnectProxy({ host: 'localhost', port: 1, trusted: false, maxBytes: 1 });
    const ask = async (place: string) => {
      const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
      socket.on('error', () => undefined).write(`CONNECT ${place} HTTP/1.1\r\n\r\n`);
      await new Promise((resolve) => socket.resume().once('close', resolve));
      return proxy.refused();
    };
    expect(await ask('localhost:1')).toMatch(/localhost leads to an address of a private network/);
    proxy.close();
    const other = await startConnectProxy({ host: 'example.org', port: 443, trusted: false, maxBytes: 1 });
    const socket = connect(Number(new URL(other.url).port), '127.0.0.1');
    socket.on('error', () => undefined).end('CONNECT 169.254.169.254:80 HTTP/1.1\r\n\r\n');
    await new Promise((resolve) => socket.resume().once('close', resolve));
    expect(other.refused()).toMatch(/leads to another address/);
    other.close();
  });

  it('scans an upload like a clone, takes over SARIF, and looks packages up in uploaded data', async () => {
    const target = repository('uploads', { 'x.txt': 'x' });
    const scanner = await make(target);
    const upload = (path: string, bytes: Uint8Array, method = 'POST') =>
      owner.call(method, `/api/scanners/${path}`, bytes);
    const lock = '{"lockfileVersion":3,"packages":{"node_modules/good":{"version":"1.0.0","license":"MIT"}}}';
    const archive = zipOf({ 'a.py': 'import pickle\nx = pickle.load(f)\n', 'package-lock.json': lock });
    const first = jobOf(await upload(`${scanner.id}/upload`, archive));
    expect(first).toMatchObject({ status: 'succeeded', ref: 'upload', target, vulnerabilityData: 'none' });
    expect(first.findings.map(({ ruleId }) => ruleId)).toEqual(['pickle-load', 'vulnerability-data-none']);
    const osv = {
      id: 'OSV-1',
      modified: '2026-11-20T00:00:00Z',
      database_specific: { severity: 'HIGH' },
      affected: [
        {
          package: { ecosystem: 'npm', name: 'good' },
          ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
        },
      ],
    };
    const dump = zipOf({ 'OSV-1.json': JSON.stringify(osv) });
    expect((await upload('vulnerability-data/npm', Buffer.from('no zip'), 'PUT')).status).toBe(422);
    expect((await upload('vulnerability-data/npm', dump, 'PUT')).status).toBe(200);
    expect((await owner.call('GET', '/api/scanners/vulnerability-data')).data).toMatchObject([
      { ecosystem: 'npm', bytes: dump.length },
    ]);
    const second = jobOf(await upload(`${scanner.id}/upload?detectors=vulnerabilities`, archive));
    expect(second.findings.map(({ ruleId }) => ruleId)).toContain('OSV-1');
    expect(second).toMatchObject({ vulnerabilityData: expect.stringMatching(/^2026-11-20/) as string });
    const hostile = jobOf(await upload(`${scanner.id}/upload`, Buffer.from('PK no zip')));
    expect(hostile).toMatchObject({ status: 'failed', error: expect.stringMatching(/damaged/) as string });
    expect(jobOf(await upload(`${scanner.id}/upload`, Buffer.from('hello')))).toMatchObject({
      status: 'failed',
      error: 'The upload is no zip, tar or tar.gz archive.',
    });
    const sarif = (results: object[]) =>
      Buffer.from(
        JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'Lint' } }, results }] }),
      );
    const result = { ruleId: 'L1', level: 'error', message: { text: 'Bad thing here' } };
    expect(jobOf(await upload(`${scanner.id}/import`, sarif([result]))).findings).toMatchObject([
      { ruleId: 'L1', detector: 'sarif-lint' },
    ]);
    expect((await upload(`${scanner.id}/import`, Buffer.from('{}'))).text).toMatch(/no SARIF 2.1.0/);
    const query = `repository=${encodeURIComponent(target.replace(/\.git$/, ''))}`;
    const listed = await owner.call('GET', `/api/scanners/findings?${query}&detector=sarif-lint`);
    expect(listed.data).toMatchObject([{ status: 'new', title: 'Bad thing here' }]);
    await upload(`${scanner.id}/import`, sarif([]));
    const file = await owner.call('GET', `/api/scanners/findings/export?${query}`);
    expect(file.headers.get('content-type')).toMatch(/text\/csv/);
    expect(file.text).toMatch(/high,fixed,sarif-lint,L1,/);
    const out = await owner.call('GET', `/api/scanners/findings/export?${query}&format=sarif`);
    expect(JSON.parse(out.text)).toMatchObject({ version: '2.1.0' });
    expect(out.text).not.toContain('L1');
    const course = (await owner.call('GET', `/api/scanners/findings/trend?${query}&days=2`)).data;
    expect(course).toMatchObject([{ found: 0, open: 0 }, { fixed: 2 }]);
  });

  it('uses rules of a bundle, refuses one without the signature that is asked for, and keeps a copy', async () => {
    const rules =
      'rules: [{id: no-x, severity: high, title: An x, explanation: It is bad., fix: Leave it., pattern: "x = 1"}]\n';
    const manifest = `${createHash('sha256').update(rules).digest('hex')}  rules/a.yaml\n`;
    const signed = sign(null, Buffer.from(manifest), signer.privateKey).toString('base64');
    const good = { 'rules/a.yaml': rules, MANIFEST: manifest, 'MANIFEST.sig': signed };
    const rulesRepo = repository('rules-good', good);
    const forged = repository('rules-forged', { ...good, 'rules/b.yaml': rules.replace('no-x', 'no-y') });
    const scanner = await make(repository('ruled', { 'a.py': 'x = 1\n' }));
    const scanned = async (body: object) => jobOf(await scanOf(scanner.id, { detectors: 'rules', ...body }));
    expect(await scanned({ rulesRepo, requireSigned: true })).toMatchObject({
      status: 'succeeded',
      findings: [{ ruleId: 'rules/no-x' }],
      coverage: { notes: [expect.stringMatching(/1 rules of .* its signature is verified/)] },
    });
    expect(await scanned({ rulesRepo: forged, requireSigned: true })).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/were refused: rules\/b.yaml is not as MANIFEST/) as string,
    });
    expect(await scanned({ rulesRepo: forged })).toMatchObject({ status: 'succeeded', findingCount: 2 });
    rmSync(join(folder, 'git', 'rules-good.git'), { recursive: true });
    expect(await scanned({ rulesRepo })).toMatchObject({ status: 'failed' });
    expect(await scanned({ rulesRepo, noRulesUpdate: true, requireSigned: true })).toMatchObject({
      status: 'succeeded',
      findingCount: 1,
    });
    expect(await scanned({ rulesRepo, rulesRef: 'never', noRulesUpdate: true })).toMatchObject({
      error: expect.stringMatching(/no copy of the rules yet/) as string,
    });
    expect((await scanOf(scanner.id, { requireSigned: true })).text).toMatch(
      /name its repository in rulesRepo/,
    );
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
      'scanner.import',
      'scanner.vulnerability-data',
    ])
      expect(audit).toContain(action);
    const changing = Object.values<RouteDeclaration>(ROUTES).filter(
      ({ tag, method }) => tag === 'Scanners' && method !== 'GET',
    );
    expect(changing.map(({ id }) => id).toSorted()).toEqual([
      'cancelScannerJob',
      'createScanner',
      'deleteScanner',
      'importFindings',
      'startScan',
      'updateFinding',
      'updateScanner',
      'uploadScan',
      'uploadVulnerabilityData',
    ]);
  });
});
