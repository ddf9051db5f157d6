import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type RouteDeclaration, ROUTES } from '@candela/contract';
import { SCOPES } from '@candela/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';

/** Where `.ci/run` puts it; one in the path serves as well. */
const PROGRAM = [join(homedir(), '.cache/candela-tests/schemathesis/bin/schemathesis'), 'schemathesis'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);
if (PROGRAM === undefined) {
  process.stderr.write(
    '\nSKIPPED: schemathesis is not installed: the OpenAPI document is not held against the server\n\n',
  );
}

/** Streams have no end, and envelopes are 200 whatever is wrong: both have tests of their own. */
const LEFT_OUT = Object.values<RouteDeclaration>(ROUTES)
  .filter(({ stream, envelope }) => stream !== undefined || envelope !== undefined)
  .map(({ id }) => id);

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
];

/** A request too large for the parser is a refusal, too; so is one that comes while too many run. */
const SETTINGS = `[checks]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 431, 503]
`;

let place: Installation;
let dir: string;
const keys = new Map<string, string>();
beforeAll(async () => {
  if (PROGRAM === undefined) return;
  dir = mkdtempSync(join(tmpdir(), 'candela-schemathesis-'));
  writeFileSync(join(dir, 'schemathesis.toml'), SETTINGS);
  place = await openInstallation();
  const owner = await place.own();
  for (const [name, scopes] of [
    ['full', SCOPES],
    ['restricted', ['prompts']],
  ] as const) {
    const made = await owner.call('POST', '/api/api-key', { name, scopes });
    expect(made.status, made.text).toBe(201);
    keys.set(name, String(made.data['apiKey']));
  }
});
afterAll(async () => {
  await place?.close();
  if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
});

describe.skipIf(PROGRAM === undefined)('the OpenAPI document is what the server does', () => {
  it.each([
    ['full', 'fuzzing', []],
    ['restricted', 'fuzzing', ['--include-path-regex', '^/api/(prompt|telemetry/(traces|views))']],
    // Every other method of a path, and each parameter left out, too long, of another type.
    ['full', 'coverage', ['--include-path', '/api/boards/import', '--include-path', '/api/prompt/{id}']],
  ] as const)('with a %s key (%s)', { timeout: 400_000 }, async (name, phase, chosen) => {
    const args = [
      `run ${place.platform.http}/openapi.json --url ${place.platform.http}`,
      `--phases ${phase} --checks ${CHECKS.join(',')} --max-examples 1 --seed 1`,
      '--generation-deterministic --no-shrink --no-color --continue-on-failure',
      '--suppress-health-check all --warnings off --workers 1',
    ].flatMap((words) => words.split(' '));
    args.push('--header', `Authorization: Bearer ${keys.get(name)}`);
    args.push(...LEFT_OUT.flatMap((id) => ['--exclude-operation-id', id]), ...chosen);
    const run = spawn(PROGRAM ?? '', args, { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'], timeout: 380_000 });
    const code = new Promise((resolve) => run.once('exit', resolve));
    const [out, err] = await Promise.all([text(run.stdout), text(run.stderr)]);
    expect(await code, `${out.slice(-20_000)}\n${err}`).toBe(0);
  });
});
