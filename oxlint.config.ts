import { defineConfig } from 'oxlint';

/**
 * The boundaries of the house (see AGENTS.md). oxlint keeps only the last matching override of a rule, so every folder's
 * list of forbidden imports is composed here instead of being spread over overlapping overrides.
 */
type Boundary = ({ group: string[] } | { regex: string }) & { message: string; allowTypeImports?: boolean };

const chdb: Boundary = {
  group: ['chdb', 'chdb/*', '@chdb/*'],
  message: 'chdb is loaded only in packages/telemetry-store/src/engine-host.',
};
const koffi: Boundary = {
  group: ['koffi', 'koffi/*'],
  message: 'Native calls live in files named native.ts.',
};
const llm: Boundary = {
  group: ['ai', 'ai/*', '@ai-sdk/*', 'openai', 'openai/*', '@anthropic-ai/*'],
  message: 'LLM vendor SDKs are imported only in apps/server/src/llm.',
};
const database: Boundary = {
  group: ['node:sqlite', 'kysely', 'kysely/*', 'pg', 'pg/*', 'better-sqlite3'],
  message: 'The metadata database is spoken to only in packages/metadata-store.',
};
const apps: Boundary = {
  group: [
    '@candela/server',
    '@candela/web',
    '@candela/demo',
    '@candela/collector',
    '@candela/cli',
    '**/apps/*',
  ],
  message: 'Nothing imports an app.',
};
const nodeModules: Boundary = {
  group: ['node:*'],
  message: 'This code also runs in a browser: no node: imports.',
};

const schemas: Boundary = {
  regex: '^@candela/contract$',
  allowTypeImports: true,
  message: 'A page takes only types from here: any value brings the schemas and zod to every page, 25 kB.',
};

const packages = [
  'kernel',
  'semconv',
  'otlp',
  'contract',
  'rules',
  'redaction',
  'scanners',
  'telemetry-store',
  'metadata-store',
  'vault',
  'backup',
  'testkit',
  'client',
];
/** Every workspace package but those named: what a layer may not import. */
const onlyPackages = (...allowed: string[]): Boundary => ({
  group: packages
    .filter((name) => !allowed.includes(name))
    .flatMap((name) => [`@candela/${name}`, `@candela/${name}/*`]),
  message: `This layer may import only: ${allowed.map((name) => `@candela/${name}`).join(', ') || 'nothing of ours'}.`,
});

const forbid = (files: string[], boundaries: Boundary[], more: Record<string, unknown> = {}) => ({
  files,
  rules: { 'eslint/no-restricted-imports': ['error', { patterns: boundaries }], ...more },
});

const everywhere = [chdb, koffi, llm, database, apps];
const testkit: Boundary = {
  group: ['@candela/testkit', '@candela/testkit/*'],
  message: 'The testkit is for tests and benches.',
};

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'oxc', 'promise', 'node'],
  categories: { correctness: 'error' },
  ignorePatterns: ['**/dist/**', '**/fixtures/**', '**/*.gen.ts', 'node_modules'],
  rules: {
    'import/no-cycle': 'error',
    // What is left of such an import still loads its module: in the browser that brings the schemas along.
    'typescript/no-import-type-side-effects': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/ban-ts-comment': 'error',
    'eslint/no-console': 'error',
    'eslint/no-eval': 'error',
    'node/no-process-env': 'error',
    'unicorn/no-process-exit': 'error',
    'eslint/no-restricted-imports': ['error', { patterns: everywhere }],
    // Routers and argument parsers hand out functions that need no `this`; text is sorted and spread by code unit here.
    'typescript/unbound-method': 'off',
    'typescript/require-array-sort-compare': 'off',
    'typescript/no-misused-spread': 'off',
    'typescript/restrict-template-expressions': 'off',
    'typescript/no-base-to-string': 'off',
  },
  overrides: [
    forbid(['packages/kernel/src/**'], [...everywhere, onlyPackages(), nodeModules]),
    forbid(['packages/semconv/src/**'], [...everywhere, onlyPackages('kernel'), nodeModules]),
    forbid(['packages/otlp/src/**'], [...everywhere, onlyPackages('kernel', 'semconv')]),
    forbid(['packages/contract/src/**'], [...everywhere, onlyPackages('kernel', 'semconv'), nodeModules]),
    // Published: its users have nothing of ours.
    forbid(['packages/client/src/**'], [...everywhere, onlyPackages(), nodeModules]),
    forbid(['packages/client/src/testing/**'], [...everywhere, onlyPackages()], {
      'node/no-process-env': 'off',
    }),
    forbid(['packages/rules/src/**'], [...everywhere, onlyPackages('kernel'), nodeModules]),
    forbid(['packages/redaction/src/**'], [...everywhere, onlyPackages(), nodeModules]),
    forbid(['packages/backup/src/**'], [...everywhere, onlyPackages('kernel', 'telemetry-store')]),
    forbid(
      ['packages/coding-agents/src/**'],
      [...everywhere, onlyPackages('kernel', 'semconv', 'contract', 'redaction')],
    ),
    forbid(
      ['packages/telemetry-store/src/**'],
      [...everywhere, onlyPackages('kernel', 'semconv', 'otlp', 'contract', 'rules')],
    ),
    forbid(
      ['packages/telemetry-store/src/engine-host/**'],
      [koffi, llm, database, apps, onlyPackages('kernel', 'semconv', 'otlp', 'contract', 'rules')],
    ),
    // No table of it: SQLite's file lock is what keeps a second process out of the data directory.
    forbid(
      ['packages/telemetry-store/src/writer/wal/lock.ts'],
      [chdb, koffi, llm, apps, onlyPackages('kernel', 'semconv', 'otlp', 'contract', 'rules')],
    ),
    forbid(['packages/metadata-store/src/**'], [chdb, koffi, llm, apps, onlyPackages('kernel', 'contract')]),
    forbid(['packages/scanners/src/**'], [...everywhere, onlyPackages('kernel', 'semconv', 'redaction')]),
    forbid(['packages/vault/src/**'], [...everywhere, onlyPackages('kernel', 'metadata-store')]),
    forbid(['apps/server/src/**', 'apps/demo/src/**', 'apps/cli/src/**'], [...everywhere, testkit]),
    forbid(['apps/server/src/llm/**'], [chdb, koffi, database, apps, testkit]),
    forbid(['apps/collector/src/**'], [...everywhere, onlyPackages('kernel', 'semconv')]),
    forbid(
      ['apps/collector/src/**/native.ts'],
      [chdb, llm, database, apps, onlyPackages('kernel', 'semconv')],
    ),
    forbid(
      ['apps/web/src/**'],
      [...everywhere, schemas, onlyPackages('contract', 'rules', 'semconv', 'kernel'), nodeModules],
      {
        'eslint/no-restricted-globals': [
          'error',
          ...['fetch', 'EventSource', 'XMLHttpRequest'].map((name) => ({
            name,
            message: 'The UI asks the server only through call() and openStream() of api/client.ts.',
          })),
        ],
      },
    ),
    { files: ['apps/web/src/api/client.ts'], rules: { 'eslint/no-restricted-globals': 'off' } },
    // What several tests of the server share.
    forbid(['apps/server/src/**/testing/**'], everywhere),
    // Tests may use what they test with; the client programs are there to drive vendor SDKs.
    forbid(['**/*.test.ts', '**/*.test.tsx', 'packages/testkit/src/**', 'bench/src/**'], [chdb, koffi, llm], {
      'node/no-process-env': 'off',
    }),
    forbid(['e2e/clients/src/**'], [chdb, koffi]),
    {
      files: [
        'apps/*/src/config.ts',
        'apps/*/src/main.ts',
        'bench/src/**',
        'e2e/**',
        'tools/**',
        'packages/testkit/src/**',
        'packages/telemetry-store/src/testing/**',
      ],
      rules: { 'node/no-process-env': 'off', 'unicorn/no-process-exit': 'off' },
    },
    {
      // The child process that runs the engine is a program: it ends itself when its parent is gone.
      files: ['packages/telemetry-store/src/engine-host/main.ts'],
      rules: { 'unicorn/no-process-exit': 'off' },
    },
    {
      files: ['apps/demo/src/**', 'bench/src/**', 'e2e/**', 'tools/**'],
      rules: { 'eslint/no-console': 'off' },
    },
    { files: ['**/*.mjs'], rules: { 'eslint/no-console': 'off' } },
  ],
});
