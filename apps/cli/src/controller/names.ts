import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { join } from 'node:path';

/** What a container is called by those who run it. */
interface ContainerName {
  /** Of Docker the container or the service of its compose file, of Kubernetes the deployment or what else owns the pod. */
  readonly workload: string;
  readonly namespace: string;
  readonly container: string;
  readonly pod: string;
}

export interface NamesOptions {
  readonly dockerSocket: string;
  /** Folder of the service account that a pod is given. */
  readonly account: string;
  /** `host:port` of the API of Kubernetes; undefined outside of it. */
  readonly kubernetes: string | undefined;
  readonly node: string;
}

const AGAIN_MS = 15_000;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 32 * 1_048_576;
const MAX_PODS = 500;

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : [];
/** Names come from whoever may make a container: what is no name is left out. */
const textOf = (value: unknown): string =>
  typeof value === 'string' && /^[\w./@-]{1,253}$/.test(value) ? value : '';

/** Names of the containers on this host, from the socket of Docker or the API of Kubernetes, where there is one. */
export class WorkloadNames {
  readonly #options: NamesOptions;
  #known = new Map<string, ContainerName>();
  #askedAt = 0;
  /** Why names are not known; empty when they are, or when nobody could tell them. */
  problem = '';

  constructor(options: NamesOptions) {
    this.#options = options;
  }

  /** Asks again every 15 s; what was known stays while nobody answers. */
  async refresh(): Promise<void> {
    if (Date.now() - this.#askedAt < AGAIN_MS) return;
    this.#askedAt = Date.now();
    try {
      this.#known = this.#options.kubernetes === undefined ? await this.#docker() : await this.#pods();
      this.problem = '';
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === 'ENOENT' && this.#options.kubernetes === undefined) return;
      this.problem = `names of containers are not known: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    }
  }

  /** By the id of the container, as its control group names it. */
  of(container: string | undefined): ContainerName | undefined {
    return container === undefined ? undefined : this.#known.get(container.slice(0, 12));
  }

  async #docker(): Promise<Map<string, ContainerName>> {
    const known = new Map<string, ContainerName>();
    const body = await ask(
      request({ socketPath: this.#options.dockerSocket, path: '/containers/json', timeout: TIMEOUT_MS }),
    );
    for (const one of listOf(body)) {
      const { Id, Names, Labels } = fieldsOf(one);
      const id = textOf(Id);
      const labels = fieldsOf(Labels);
      const container = textOf(listOf(Names)[0]).replace(/^\//, '');
      const service = textOf(labels['com.docker.compose.service']);
      if (id !== '' && container !== '')
        known.set(id.slice(0, 12), {
          workload: service || container,
          namespace: textOf(labels['com.docker.compose.project']),
          container,
          pod: '',
        });
    }
    return known;
  }

  async #pods(): Promise<Map<string, ContainerName>> {
    const { account, kubernetes = '', node } = this.#options;
    const known = new Map<string, ContainerName>();
    const query = new URLSearchParams({ fieldSelector: `spec.nodeName=${node}`, limit: String(MAX_PODS) });
    const body = await ask(
      secureRequest(new URL(`/api/v1/pods?${query}`, `https://${kubernetes}`), {
        ca: readFileSync(join(account, 'ca.crt')),
        headers: { authorization: `Bearer ${readFileSync(join(account, 'token'), 'utf8').trim()}` },
        timeout: TIMEOUT_MS,
      }),
    );
    for (const item of listOf(fieldsOf(body)['items'])) {
      const { metadata, status } = fieldsOf(item);
      const { name, namespace, labels, ownerReferences } = fieldsOf(metadata);
      const pod = textOf(name);
      const owner = fieldsOf(listOf(ownerReferences)[0]);
      const hash = textOf(fieldsOf(labels)['pod-template-hash']);
      const owned = textOf(owner['name']);
      // A ReplicaSet is called as its deployment, with the hash of the template behind.
      const workload =
        owner['kind'] === 'ReplicaSet' && hash !== '' && owned.endsWith(`-${hash}`)
          ? owned.slice(0, -hash.length - 1)
          : owned || pod;
      for (const one of listOf(fieldsOf(status)['containerStatuses'])) {
        const { containerID, name: container } = fieldsOf(one);
        const id = /^[a-z-]+:\/\/([0-9a-f]{64})$/.exec(
          typeof containerID === 'string' ? containerID : '',
        )?.[1];
        if (id !== undefined && workload !== '')
          known.set(id.slice(0, 12), {
            workload,
            namespace: textOf(namespace),
            container: textOf(container),
            pod,
          });
      }
    }
    return known;
  }
}

/** The JSON of an answer. @throws it is none, too long, too late or not a success */
function ask(call: ReturnType<typeof request>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    call.once('error', reject);
    call.once('timeout', () => call.destroy(new Error('no answer in time')));
    call.once('response', (answer) => {
      const parts: Buffer[] = [];
      let size = 0;
      answer.on('data', (part: Buffer) => {
        size += part.length;
        if (size > MAX_BYTES) call.destroy(new Error('the answer is too long'));
        else parts.push(part);
      });
      answer.once('end', () => {
        if (answer.statusCode !== 200) return reject(new Error(`the answer was ${answer.statusCode}`));
        try {
          resolve(JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown);
        } catch (thrown) {
          reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
        }
      });
      answer.once('error', reject);
    });
    call.end();
  });
}
