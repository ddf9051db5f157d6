import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where one program works: a home of its own, a repository, the vendors. */
export interface Place {
  readonly home: string;
  readonly repository: string;
  readonly vendor: string;
  /** Where the program's own telemetry goes. */
  readonly otlp: string;
  /** Folder that npm installed the package into. */
  readonly modules: string;
}

interface Start {
  readonly program: string;
  readonly args: readonly string[];
}

/** What a program is asked in a session of several turns; `last` is what the turn before printed. */
export interface Turn {
  readonly what: 'edit' | 'help' | 'resume' | 'fork';
  readonly args: (prompt: string, last: string) => readonly string[];
}

/** A coding agent as npm has it. */
export interface Program {
  readonly name: string;
  /** As the platform calls it. */
  readonly agent: 'claude-code' | 'codex' | 'gemini-cli' | 'copilot-cli' | 'opencode';
  readonly package: string;
  readonly version: string;
  readonly start: (place: Place) => Start;
  readonly env: (place: Place) => Readonly<Record<string, string>>;
  /** Its own settings, before hooks are installed. */
  readonly configure?: (place: Place) => void;
  readonly turns: readonly Turn[];
  /** Sessions that the turns make. */
  readonly sessions: number;
  /** Calls that it tells nobody of: titles, asked beside the conversation. */
  readonly hidesTitles?: true;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const bin = (place: Place, name: string): Start => ({
  program: process.execPath,
  args: [join(place.modules, name)],
});
const EDIT = 'PLAN:edit write hello.py and commit it';
/** What each turn asks for. */
export const PROMPTS: Readonly<Record<Turn['what'], string>> = {
  edit: EDIT,
  help: 'PLAN:help ask a helper',
  resume: 'PLAN:more go on',
  fork: 'PLAN:more go on elsewhere',
};

const sessionOfJson = (output: string): string => /"session_?id":\s*"([^"]+)"/i.exec(output)?.[1] ?? '';

const CODEX = [
  '--json',
  '--skip-git-repo-check',
  '--dangerously-bypass-hook-trust',
  '--dangerously-bypass-approvals-and-sandbox',
];

const CLAUDE: Program = {
  name: 'claude-code',
  agent: 'claude-code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.332',
  start: ({ modules }) => ({
    program: join(modules, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`),
    args: [],
  }),
  env: ({ vendor }) => ({
    ANTHROPIC_BASE_URL: vendor,
    ANTHROPIC_API_KEY: 'key-of-nobody',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // Its permissions may be skipped as root where it is told that nothing can be harmed.
    IS_SANDBOX: '1',
  }),
  turns: (['edit', 'help', 'resume', 'fork'] as const).map((what) => ({
    what,
    args: (prompt, last) => [
      '-p',
      prompt,
      '--output-format',
      'json',
      '--dangerously-skip-permissions',
      '--model',
      'claude-opus-4-5',
      ...(what === 'edit' ? [] : ['--resume', sessionOfJson(last)]),
      ...(what === 'fork' ? ['--fork-session'] : []),
    ],
  })),
  sessions: 2,
};

const geminiSettings = ({ home }: Place, more: object): void =>
  write(
    join(home, '.gemini/settings.json'),
    `${JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } }, privacy: { usageStatisticsEnabled: false }, ...more }, null, 2)}\n`,
  );

const GEMINI: Program = {
  name: 'gemini-cli',
  agent: 'gemini-cli',
  package: '@google/gemini-cli',
  version: '0.61.0',
  start: (place) => bin(place, '@google/gemini-cli/bundle/gemini.js'),
  env: ({ vendor }) => ({
    GOOGLE_GEMINI_BASE_URL: vendor,
    GEMINI_API_KEY: 'key-of-nobody',
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),
  configure: (place) => geminiSettings(place, {}),
  turns: [
    { what: 'edit', args: (prompt) => ['--yolo', '-m', 'gemini-2.5-flash', '-p', prompt] },
    {
      what: 'resume',
      args: (prompt) => ['--yolo', '-m', 'gemini-2.5-flash', '--resume', 'latest', '-p', prompt],
    },
  ],
  sessions: 1,
};

const COPILOT: Program = {
  name: 'copilot-cli',
  agent: 'copilot-cli',
  package: '@github/copilot',
  version: '1.0.102',
  start: ({ modules }) => ({
    program: join(modules, `@github/copilot-${process.platform}-${process.arch}/copilot`),
    args: [],
  }),
  env: ({ vendor }) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${vendor}/v1`,
    COPILOT_PROVIDER_API_KEY: 'key-of-nobody',
    COPILOT_MODEL: 'gpt-5.2',
    COPILOT_ALLOW_ALL: 'true',
  }),
  turns: [
    { what: 'edit', args: (prompt) => ['--allow-all-tools', '-p', prompt] },
    { what: 'help', args: (prompt) => ['--allow-all-tools', '--continue', '-p', prompt] },
    { what: 'resume', args: (prompt) => ['--allow-all-tools', '--continue', '-p', prompt] },
  ],
  sessions: 1,
};

/** The five that can be had from a registry. Cursor and Windsurf are desktop programs: fixtures stand for them. */
export const PROGRAMS: readonly Program[] = [
  CLAUDE,
  {
    ...CLAUDE,
    // Its spans, events and counters beside the hooks: both tell of the same session.
    name: 'claude-code-telemetry',
    env: (place) => ({
      ...CLAUDE.env(place),
      CLAUDE_CODE_ENABLE_TELEMETRY: '1',
      CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1',
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_LOGS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_ENDPOINT: place.otlp,
    }),
  },
  {
    name: 'codex',
    agent: 'codex',
    package: '@openai/codex',
    version: '0.171.0',
    start: (place) => bin(place, '@openai/codex/bin/codex.js'),
    env: () => ({ FAKE_KEY: 'key-of-nobody' }),
    configure: ({ home, vendor, repository }) =>
      write(
        join(home, '.codex/config.toml'),
        [
          'model = "gpt-5.5"',
          'model_provider = "fake"',
          '[model_providers.fake]',
          'name = "fake"',
          `base_url = "${vendor}/v1"`,
          'wire_api = "responses"',
          'env_key = "FAKE_KEY"',
          `[projects."${repository}"]`,
          'trust_level = "trusted"',
          '',
        ].join('\n'),
      ),
    turns: [
      { what: 'edit', args: (prompt) => ['exec', ...CODEX, prompt] },
      { what: 'resume', args: (prompt) => ['exec', 'resume', '--last', ...CODEX, prompt] },
    ],
    sessions: 1,
  },
  GEMINI,
  {
    ...GEMINI,
    name: 'gemini-cli-telemetry',
    configure: (place) =>
      geminiSettings(place, {
        telemetry: { enabled: true, target: 'local', otlpEndpoint: place.otlp, otlpProtocol: 'http' },
      }),
  },
  COPILOT,
  {
    ...COPILOT,
    name: 'copilot-cli-telemetry',
    env: (place) => ({ ...COPILOT.env(place), OTEL_EXPORTER_OTLP_ENDPOINT: place.otlp }),
  },
  {
    name: 'opencode',
    agent: 'opencode',
    package: 'opencode-ai',
    version: '1.18.33',
    start: ({ modules }) => ({
      program: join(modules, `opencode-${process.platform}-${process.arch}/bin/opencode`),
      args: [],
    }),
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    configure: ({ home, vendor }) =>
      write(
        join(home, '.config/opencode/opencode.json'),
        `${JSON.stringify(
          {
            provider: {
              fake: {
                npm: '@ai-sdk/openai-compatible',
                name: 'fake',
                options: { baseURL: `${vendor}/v1`, apiKey: 'key-of-nobody' },
                models: { 'fake-model': { name: 'fake-model' } },
              },
            },
            permission: 'allow',
          },
          null,
          2,
        )}\n`,
      ),
    turns: [
      { what: 'edit', args: (prompt) => ['run', '-m', 'fake/fake-model', prompt] },
      { what: 'help', args: (prompt) => ['run', '-m', 'fake/fake-model', '--continue', prompt] },
      { what: 'resume', args: (prompt) => ['run', '-m', 'fake/fake-model', '--continue', prompt] },
    ],
    sessions: 1,
    hidesTitles: true,
  },
];

/** Installs the package into a folder, without its scripts. Undefined, or why it could not. */
export function installed(program: Program, folder: string): string | undefined {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync(
      'npm',
      [
        'install',
        '--prefix',
        folder,
        '--no-audit',
        '--no-fund',
        '--no-save',
        '--ignore-scripts',
        '--loglevel=error',
        `${program.package}@${program.version}`,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', timeout: 600_000 },
    );
    return undefined;
  } catch (thrown) {
    const said = thrown instanceof Error && 'stderr' in thrown ? String(thrown.stderr) : String(thrown);
    return said.trim().split('\n').slice(0, 3).join(' ');
  }
}
