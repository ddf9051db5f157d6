import { rm } from 'node:fs/promises';
import { loadPackageDefinition, Server, ServerCredentials, type ServiceError, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

export interface FakeContainer {
  readonly name: string;
  readonly devices?: readonly { readonly resourceName: string; readonly deviceIds: readonly string[] }[];
  readonly cpuIds?: readonly number[];
  readonly dynamicResources?: readonly {
    readonly claimName: string;
    readonly claimNamespace: string;
    readonly claimResources: readonly {
      readonly cdiDevices?: readonly { readonly name: string }[];
      readonly driverName: string;
      readonly poolName: string;
      readonly deviceName: string;
    }[];
  }[];
}

export interface FakePodResources {
  readonly name: string;
  readonly namespace: string;
  readonly containers: readonly FakeContainer[];
}

/** What the kubelet answers: pods, or a failure with this text, or nothing at all. */
export type KubeletAnswer = readonly FakePodResources[] | { readonly fails: string } | 'nothing';

export interface FakeKubelet {
  readonly calls: () => number;
  close(): Promise<void>;
}

/** The pod-resources socket of a kubelet, at this path. */
export async function startFakeKubelet(socket: string, answer: () => KubeletAnswer): Promise<FakeKubelet> {
  const definition = loadSync(`${import.meta.dirname}/pod-resources.proto`, { longs: Number });
  const v1 = loadPackageDefinition(definition).v1;
  if (v1 === undefined || typeof v1 === 'function' || !('PodResourcesLister' in v1))
    throw new Error('no service');
  const lister = v1.PodResourcesLister;
  if (typeof lister !== 'function' || !('service' in lister)) throw new Error('no service');

  let calls = 0;
  const server = new Server();
  server.addService(lister.service, {
    list: (_call: unknown, reply: (error: Partial<ServiceError> | null, value?: unknown) => void) => {
      calls += 1;
      const said = answer();
      if (said === 'nothing') return;
      if ('fails' in said) reply({ code: status.RESOURCE_EXHAUSTED, details: said.fails });
      else reply(null, { podResources: said });
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    );
  });
  return {
    calls: () => calls,
    close: async () => {
      server.forceShutdown();
      await rm(socket, { force: true });
    },
  };
}
