import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundService } from './discover.ts';

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
const REGISTER = `try {
  await import('@opentelemetry/auto-instrumentations-node/register');
} catch {
  // Not installed beside the program: it runs as before.
}
`;

type Variables = readonly (readonly [string, string])[];

/** What starts an SDK in a runtime. A sentence: why that cannot be. */
function variablesOf(service: FoundService, { folder }: SdkPlace, command = ''): Variables | string {
  const jar = join(folder, 'opentelemetry-javaagent.jar');
  const hook = join(folder, 'OpenTelemetry.AutoInstrumentation.StartupHook.dll');
  switch (service.runtime) {
    case 'python':
      if (/\s-[A-Za-z]*[SIE][A-Za-z]*(?:\s|$)/.test(command))
        return 'Python was started with -S, -I or -E, which ignore PYTHONPATH: start it without.';
      return [['PYTHONPATH', join(folder, 'python')]];
    case 'node':
      if (folder.includes(' '))
        return `NODE_OPTIONS splits at spaces: choose a folder without one (${folder}).`;
      return [['NODE_OPTIONS', `--import file://${join(folder, 'node/register.mjs')}`]];
    case 'java':
      return existsSync(jar)
        ? [['JAVA_TOOL_OPTIONS', `-javaagent:${jar}`]]
        : `Put the OpenTelemetry agent at ${jar}.`;
    case 'dotnet':
      return existsSync(hook)
        ? [['DOTNET_STARTUP_HOOKS', hook]]
        : `Put the OpenTelemetry automatic instrumentation for .NET at ${hook}.`;
    default:
      return `There is no SDK to inject into ${service.runtime}.`;
  }
}

const safe = (text: string) => text.replaceAll(/[^A-Za-z0-9@._-]/g, '_');
const systemd = (text: string) =>
  `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('%', '%%')
    .replaceAll(/\p{Cc}/gu, ' ')}"`;

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
  if (service.workload.startsWith('linux:systemd:') && service.unit !== undefined) {
    const text = `# Written by candela controller.\n[Service]\n${all.map(([name, value]) => `Environment=${systemd(`${name}=${value}`)}`).join('\n')}\n`;
    const path = join(place.units, `${safe(service.unit)}.d`, 'candela-sdk.conf');
    return {
      path,
      text,
      applies: true,
      next: `systemctl daemon-reload && systemctl restart ${safe(service.unit)}`,
    };
  }
  const named = safe(service.workload);
  if (service.workload.startsWith('docker:')) {
    const environment = all.map(([name, value]) => `      ${name}: ${JSON.stringify(value)}`).join('\n');
    const path = join(place.out, `${named}.override.yaml`);
    return {
      path,
      text: `# Put the name of the service of your compose file in the place of SERVICE.\nservices:\n  SERVICE:\n    environment:\n${environment}\n    volumes:\n      - ${JSON.stringify(`${place.folder}:${place.folder}:ro`)}\n`,
      applies: false,
      next: `docker compose -f compose.yaml -f ${path} up -d`,
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
                env: all.map(([name, value]) => ({ name, value })),
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
      next: `kubectl patch deployment NAME --type strategic --patch-file ${path}`,
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
    writeFileSync(file, content, { mode: 0o644 });
  }
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text, { mode: 0o644 });
}

export const removeInjection = ({ path }: Injection): void => rmSync(path, { force: true });
