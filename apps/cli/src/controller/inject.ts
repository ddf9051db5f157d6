import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundService } from './discover.ts';
import { writeWhole } from './state.ts';

/** Where injected SDKs lie on this host; an operator puts them there, the controller loads nothing from elsewhere. */
export interface SdkPlace {
  readonly folder: string;
  /** Where drop-ins of systemd go. */
  readonly units: string;
  /** Where compose overrides and patches are written for a person. */
  readonly out: string;
}

export interface Injection {
  readonly path: string;
  readonly text: string;
  /** Written by the controller itself, or for a person to apply. */
  readonly applies: boolean;
  readonly next: string;
}

/** Chained to one that is there, and silent where the SDK is not: the program runs in any case. */
const SITECUSTOMIZE = `import os, sys
_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") != _here]
_own = sys.modules.pop("sitecustomize", None)
try:
    import sitecustomize
except ImportError:
    sys.modules["sitecustomize"] = _own
try:
    from opentelemetry.instrumentation.auto_instrumentation import initialize
    initialize()
except Exception:
    pass
`;
/** Looked up where the program lies: an import by name would look beside this file, where nothing is installed. */
const REGISTER = `import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
for (const place of [process.argv[1], join(process.cwd(), 'package.json')]) {
  try {
    const found = createRequire(place).resolve('@opentelemetry/auto-instrumentations-node/register');
    await import(pathToFileURL(found).href);
    break;
  } catch {
    // Not installed beside the program: it runs as before.
  }
}
`;

type Variables = readonly (readonly [string, string])[];

/** Variables that a program may have of its own already, and what stands between their values. */
export const JOINED = {
  PYTHONPATH: ':',
  NODE_OPTIONS: ' ',
  JAVA_TOOL_OPTIONS: ' ',
  DOTNET_STARTUP_HOOKS: ':',
} as const;
export type Joined = keyof typeof JOINED;

const MAX_VALUE = 8_192;

/** The value that starts the SDK, beside what the program has: a drop-in takes the place of its value. A sentence: why not. */
function joined(
  { variables }: FoundService,
  name: Joined,
  ours: string,
  isFirst = false,
): Variables | string {
  const between = JOINED[name];
  const theirs = `${between}${variables.get(name) ?? ''}${between}`
    // There already, where the program was started with the file.
    .replaceAll(`${between}${ours}${between}`, between)
    .slice(1, -1);
  if (theirs.length > MAX_VALUE)
    return `The program has a ${name} of over ${MAX_VALUE} characters: add ${ours} to it by hand.`;
  // What is written here may be read by everybody on this host, and stands in the history.
  if (/pass(?:word|wd)|secret|token|credential|api[-_.]?key/i.test(theirs))
    return `The program has a ${name} with something secret in it: add ${ours} to it by hand.`;
  if (theirs === '') return [[name, ours]];
  return [[name, isFirst ? `${ours}${between}${theirs}` : `${theirs}${between}${ours}`]];
}

/** Whether the interpreter was told not to look at PYTHONPATH; what comes behind the program is its own. */
function ignoresPath(words: readonly string[]): boolean {
  for (let place = 1; place < words.length; place += 1) {
    const flags = /^-([A-Za-z]+)/.exec(words[place] ?? '')?.[1];
    if (flags === undefined) return false;
    // Behind these stands their own value.
    const own = flags.replace(/[cmWX].*$/, '');
    if (/[SIE]/.test(own)) return true;
    const taking = flags[own.length];
    if (taking === 'c' || taking === 'm') return false;
    if (taking !== undefined && flags.length === own.length + 1) place += 1;
  }
  return false;
}

/** What starts an SDK in a runtime. A sentence: why that cannot be. */
function variablesOf(service: FoundService, { folder }: SdkPlace): Variables | string {
  const jar = join(folder, 'opentelemetry-javaagent.jar');
  const hook = join(folder, 'OpenTelemetry.AutoInstrumentation.StartupHook.dll');
  switch (service.runtime) {
    case 'python':
      if (ignoresPath(service.words))
        return 'Python was started with -S, -I or -E, which ignore PYTHONPATH: start it without.';
      return joined(service, 'PYTHONPATH', join(folder, 'python'), true);
    case 'node':
      if (folder.includes(' '))
        return `NODE_OPTIONS splits at spaces: choose a folder without one (${folder}).`;
      return joined(service, 'NODE_OPTIONS', `--import file://${join(folder, 'node/register.mjs')}`);
    case 'java':
      return existsSync(jar)
        ? joined(service, 'JAVA_TOOL_OPTIONS', `-javaagent:${jar}`)
        : `Put the OpenTelemetry agent at ${jar}.`;
    case 'dotnet':
      return existsSync(hook)
        ? joined(service, 'DOTNET_STARTUP_HOOKS', hook)
        : `Put the OpenTelemetry automatic instrumentation for .NET at ${hook}.`;
    default:
      return `There is no SDK to inject into ${service.runtime}.`;
  }
}

const safe = (text: string) => text.replaceAll(/[^A-Za-z0-9@._-]/g, '_');
/** Of a unit; it may have escapes (`\x2d`), and its folder has them too. */
const safeUnit = (text: string) => text.replaceAll(/[^A-Za-z0-9@._:\\-]/g, '_');
const quoted = (text: string) => (/^[\w@.:/-]+$/.test(text) ? text : `'${text}'`);
const systemd = (text: string) =>
  `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('%', '%%')
    .replaceAll(/\p{Cc}/gu, ' ')}"`;

const HEADERS = 'Authorization=Bearer%20<key>';
/** The key is for a person to give: in what is written here everybody could read it. */
const keyHint = (path: string) =>
  `# Where the platform asks for a key (scope ingest), put this line into ${path}, for root alone:\n# OTEL_EXPORTER_OTLP_HEADERS=${HEADERS}\n`;

/** The file that injects, by how the program is run. A sentence: why that cannot be. */
export function planOf(service: FoundService, place: SdkPlace, otlp: string): Injection | string {
  const variables = variablesOf(service, place);
  if (typeof variables === 'string') return variables;
  const all: Variables = [
    ...variables,
    ['OTEL_SERVICE_NAME', service.name],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', otlp],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf'],
  ];
  const keys = join(place.folder, 'key.env');
  if (service.workload.startsWith('linux:systemd:') && service.unit !== undefined) {
    const lines = all.map(([name, value]) => `Environment=${systemd(`${name}=${value}`)}`).join('\n');
    const text = `# Written by candela controller.\n${keyHint(keys)}[Service]\n${lines}\nEnvironmentFile=-${keys.replaceAll('%', '%%')}\n`;
    const unit = safeUnit(service.unit);
    const path = join(place.units, `${unit}.d`, 'candela-sdk.conf');
    return {
      path,
      text,
      applies: true,
      next: `systemctl daemon-reload && systemctl restart ${quoted(unit)}`,
    };
  }
  const named = safe(service.workload);
  // Of a container this is the container, unless its network is that of the host.
  const loopback = /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(otlp)
    ? `. ${otlp} is the container itself: start the controller with --otlp and an address that containers reach`
    : '';
  if (service.workload.startsWith('docker:')) {
    // Compose puts variables in the place of a dollar sign.
    const yaml = (value: string) => JSON.stringify(value).replaceAll('$', '$$$$');
    const environment = all.map(([name, value]) => `      ${name}: ${yaml(value)}`).join('\n');
    const path = join(place.out, `${named}.override.yaml`);
    return {
      path,
      text: `# Put the name of the service of your compose file in the place of SERVICE.\n${keyHint(keys)}services:\n  SERVICE:\n    environment:\n${environment}\n    env_file:\n      - path: ${yaml(keys)}\n        required: false\n    volumes:\n      - ${yaml(`${place.folder}:${place.folder}:ro`)}\n`,
      applies: false,
      next: `docker compose -f compose.yaml -f ${quoted(path)} up -d${loopback}`,
    };
  }
  if (service.workload.startsWith('k8s:')) {
    const patch = {
      spec: {
        template: {
          spec: {
            volumes: [{ name: 'candela-sdk', hostPath: { path: place.folder, type: 'Directory' } }],
            containers: [
              {
                name: 'CONTAINER',
                env: [
                  ...all.map(([name, value]) => ({ name, value: value.replaceAll('$(', '$$$$(') })),
                  {
                    name: 'OTEL_EXPORTER_OTLP_HEADERS',
                    valueFrom: { secretKeyRef: { name: 'candela-sdk', key: 'headers', optional: true } },
                  },
                ],
                volumeMounts: [{ name: 'candela-sdk', mountPath: place.folder, readOnly: true }],
              },
            ],
          },
        },
      },
    };
    const path = join(place.out, `${named}.patch.json`);
    return {
      path,
      text: `${JSON.stringify(patch, null, 2)}\n`,
      applies: false,
      next: `kubectl patch deployment NAME --type strategic --patch-file ${quoted(path)}. The key that the platform asks for: kubectl create secret generic candela-sdk --from-literal headers='${HEADERS}'${loopback}`,
    };
  }
  return 'A program without a unit or a container is never restarted: set the variables where it is started.';
}

/** Lines that come and go, for a person. */
export function diffOf(path: string, before: string | undefined, after: string): string {
  const old = before === undefined ? [] : before.split('\n').slice(0, -1);
  const now = after.split('\n').slice(0, -1);
  return [
    `--- ${before === undefined ? '/dev/null' : path}`,
    `+++ ${path}`,
    ...old.filter((line) => !now.includes(line)).map((line) => `-${line}`),
    ...now.map((line) => (old.includes(line) ? ` ${line}` : `+${line}`)),
  ].join('\n');
}

export const textAt = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined;

/** Writes what starts the SDKs, and the file that injects it. */
export function writeInjection({ path, text }: Injection, { folder }: SdkPlace): void {
  for (const [name, content] of [
    ['python/sitecustomize.py', SITECUSTOMIZE],
    ['node/register.mjs', REGISTER],
  ] as const) {
    const file = join(folder, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeWhole(file, content);
    // The program is somebody else, whatever the umask is here; a Node that cannot read its file does not start.
    for (const part of [folder, join(file, '..')]) chmodSync(part, 0o755);
    chmodSync(file, 0o644);
  }
  mkdirSync(join(path, '..'), { recursive: true });
  writeWhole(path, text);
  chmodSync(path, 0o644);
}

export const removeInjection = ({ path }: Injection): void => rmSync(path, { force: true });
