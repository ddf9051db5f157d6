import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { type Command, UsageError } from '../command.ts';
import { runController } from '../controller/run.ts';

/** Looks after this host: finds programs that call models, and does what people switch on. */
export const controller: Command = {
  words: ['controller'],
  summary: 'Finds programs that call models on this host, and sees what they say where that is switched on',
  help: `candela controller --url U [--instance NAME] [--state DIR] [--agent COMMAND] [--otlp U] [--host H]...

Runs until stopped, on a Linux host, a Docker host or a Kubernetes node. The first time it needs CANDELA_ENROL_TOKEN, a
token made under Infrastructure, Controller. It needs root (or CAP_SYS_PTRACE) to look at programs of other users, and
CAP_BPF with CAP_PERFMON for the tap. It restarts and ends no program, and loads nothing from elsewhere.

  --url U          the platform, e.g. https://candela.example.com
  --otlp U         where traces go; default: the platform's host, port 4318
  --instance NAME  what it is called; default: the name of the host
  --state DIR      what it must not forget; default /var/lib/candela-controller
  --agent COMMAND  the agent with the tap; default opentelemetry-gpu-collector
  --host H         a further host or host:port that models are called at; may be repeated
  --sdk DIR        where injected SDKs lie; default /opt/candela-sdk
  --units DIR      where drop-ins of systemd go; default /etc/systemd/system
  --proc DIR       default /proc`,

  async run(args, { env, say }) {
    const { values } = read(args);
    const url = addressOf(values.url, '--url takes the address of the platform: http://... or https://...');
    const otlp = new URL(url);
    otlp.port = '4318';
    const ending = new AbortController();
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => ending.abort());
    await runController(
      {
        url,
        otlp:
          values.otlp === undefined
            ? otlp.origin
            : addressOf(values.otlp, '--otlp takes the address that traces go to: http://... or https://...'),
        token: env['CANDELA_ENROL_TOKEN'],
        instance: values.instance,
        folder: values.state ?? '/var/lib/candela-controller',
        proc: values.proc ?? '/proc',
        agent: (values.agent ?? 'opentelemetry-gpu-collector').split(' '),
        sdk: { folder: values.sdk ?? '/opt/candela-sdk', units: values.units ?? '/etc/systemd/system' },
        hosts: values.host ?? [],
        names: {
          dockerSocket: '/var/run/docker.sock',
          account: '/var/run/secrets/kubernetes.io/serviceaccount',
          kubernetes: kubernetesOf(env),
          node: env['K8S_NODE_NAME'] ?? hostname(),
        },
        env: env['PATH'] === undefined ? {} : { PATH: env['PATH'] },
      },
      say,
      ending.signal,
    );
  },
};

/** @throws UsageError with the sentence where it is none of HTTP */
function addressOf(given: string | undefined, sentence: string): string {
  const url = URL.parse(given ?? '');
  if (given === undefined || url === null || !/^https?:$/.test(url.protocol)) throw new UsageError(sentence);
  return given;
}

/** Where the API of Kubernetes is, as every pod is told. */
function kubernetesOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  if (host === undefined) return undefined;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function read(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        url: text,
        otlp: text,
        instance: text,
        state: text,
        agent: text,
        sdk: text,
        units: text,
        proc: text,
        host: { type: 'string', multiple: true },
      },
    });
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown));
  }
}
