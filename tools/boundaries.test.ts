import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const house = mkdtempSync(join(tmpdir(), 'candela-boundaries-'));
afterAll(() => rmSync(house, { recursive: true, force: true }));

cpSync(join(root, 'oxlint.config.ts'), join(house, 'oxlint.config.ts'));
symlinkSync(join(root, 'node_modules'), join(house, 'node_modules'));
writeFileSync(join(house, 'package.json'), '{"type":"module"}');

/** Lints one file of an otherwise empty house with the real configuration; returns what oxlint says. */
function lint(path: string, source: string): string {
  const file = join(house, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, source);
  try {
    const bin = join(root, 'node_modules', 'oxlint', 'dist', 'cli.js');
    return execFileSync(process.execPath, [bin, path], { cwd: house, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  } finally {
    rmSync(file);
  }
}

const uses = (name: string) => `import * as thing from '${name}';\nexport const used = thing;\n`;

/** A planted violation of every boundary: a rule that stops complaining must not die silently. */
const planted: [boundary: string, path: string, source: string, complaint: string][] = [
  ['chdb stays in the engine host', 'apps/server/src/x.ts', uses('chdb'), 'engine-host'],
  ['chdb stays out of the queries', 'packages/telemetry-store/src/queries/x.ts', uses('chdb'), 'engine-host'],
  ['native calls stay in native.ts', 'apps/server/src/x.ts', uses('koffi'), 'native.ts'],
  [
    'native calls of the collector stay in native.ts',
    'apps/collector/src/host/x.ts',
    uses('koffi'),
    'native.ts',
  ],
  [
    'the collector knows nothing of the platform',
    'apps/collector/src/x.ts',
    uses('@candela/telemetry-store'),
    'layer',
  ],
  [
    'a native.ts of the collector knows nothing of the platform',
    'apps/collector/src/x/native.ts',
    uses('@candela/otlp'),
    'layer',
  ],
  ['SQLite stays in the metadata store', 'apps/server/src/x.ts', uses('node:sqlite'), 'metadata-store'],
  [
    'Kysely stays in the metadata store',
    'packages/telemetry-store/src/x.ts',
    uses('kysely'),
    'metadata-store',
  ],
  [
    'the metadata store knows no telemetry',
    'packages/metadata-store/src/x.ts',
    uses('@candela/telemetry-store'),
    'layer',
  ],
  ['the vault knows no telemetry', 'packages/vault/src/x.ts', uses('@candela/telemetry-store'), 'layer'],
  ['the metadata store knows no vault', 'packages/metadata-store/src/x.ts', uses('@candela/vault'), 'layer'],
  ['LLM SDKs stay in llm/', 'apps/server/src/features/x/service.ts', uses('openai'), 'apps/server/src/llm'],
  ['kernel imports nothing', 'packages/kernel/src/x.ts', uses('@candela/otlp'), 'This layer may import only'],
  ['kernel runs in a browser', 'packages/kernel/src/x.ts', uses('node:fs'), 'browser'],
  [
    'the client library imports nothing',
    'packages/client/src/x.ts',
    uses('@candela/kernel'),
    'nothing of ours',
  ],
  ['the client library runs in a browser', 'packages/client/src/x.ts', uses('node:fs'), 'browser'],
  [
    'contract does not know the store',
    'packages/contract/src/x.ts',
    uses('@candela/telemetry-store'),
    'layer',
  ],
  ['rules know no contract', 'packages/rules/src/x.ts', uses('@candela/contract'), 'layer'],
  ['redaction knows nothing of the house', 'packages/redaction/src/x.ts', uses('@candela/kernel'), 'layer'],
  ['backup knows no settings', 'packages/backup/src/x.ts', uses('@candela/metadata-store'), 'layer'],
  [
    'coding agents know no store',
    'packages/coding-agents/src/x.ts',
    uses('@candela/telemetry-store'),
    'layer',
  ],
  ['rules run in a browser', 'packages/rules/src/x.ts', uses('node:fs'), 'browser'],
  ['web does not know the store', 'apps/web/src/x.ts', uses('@candela/telemetry-store'), 'layer'],
  ['web ships no schemas', 'apps/web/src/x.ts', uses('@candela/contract'), 'takes only types'],
  [
    'web asks through its client',
    'apps/web/src/x.ts',
    "export const answer = fetch('/api/health');\n",
    'api/client.ts',
  ],
  ['web runs in a browser', 'apps/web/src/x.ts', uses('node:path'), 'browser'],
  [
    'the store does not know the apps',
    'packages/telemetry-store/src/x.ts',
    uses('@candela/server'),
    'imports an app',
  ],
  ['the testkit is for tests', 'apps/server/src/x.ts', uses('@candela/testkit'), 'tests and benches'],
  [
    'only config reads env',
    'apps/server/src/x.ts',
    'export const port = process.env.PORT;\n',
    'no-process-env',
  ],
  ['only main exits', 'apps/server/src/x.ts', 'process.exit(1);\n', 'no-process-exit'],
  ['no any', 'apps/server/src/x.ts', 'export const x: any = 1;\n', 'no-explicit-any'],
  ['no ts-ignore', 'apps/server/src/x.ts', '// @ts-ignore\nexport const x: number = "";\n', 'ban-ts-comment'],
];

describe('boundaries', () => {
  it.each(planted)('%s', (_boundary, path, source, complaint) => {
    const said = lint(path, source);
    expect(said).toContain(complaint);
    expect(said).toMatch(/Found \d+ warnings? and [1-9]\d* errors?/);
  });

  it('lets a file through that breaks no rule', () => {
    expect(lint('apps/server/src/x.ts', "export const greeting = 'hello';\n")).toContain('0 errors');
  });

  it('lets the web take types from the contract', () => {
    const source = "import type { Gpu } from '@candela/contract';\nexport type Used = Gpu;\n";
    expect(lint('apps/web/src/x.ts', source)).toContain('0 errors');
  });

  it('lets the metadata store load SQLite', () => {
    expect(lint('packages/metadata-store/src/dialects/sqlite/x.ts', uses('node:sqlite'))).toContain(
      '0 errors',
    );
  });

  it('lets llm/ load the SDKs of vendors, and nothing else that is behind a boundary', () => {
    expect(lint('apps/server/src/llm/x.ts', uses('ai'))).toContain('0 errors');
    expect(lint('apps/server/src/llm/x.ts', uses('kysely'))).toContain('metadata-store');
  });

  it('lets native.ts of the collector load koffi', () => {
    expect(lint('apps/collector/src/host/x/native.ts', uses('koffi'))).toContain('0 errors');
  });

  it('lets the engine host load chdb', () => {
    expect(lint('packages/telemetry-store/src/engine-host/x.ts', uses('chdb'))).toContain('0 errors');
  });
});
