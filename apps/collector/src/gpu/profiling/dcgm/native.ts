import koffi from 'koffi';
import { VALUE_BYTES } from './layout.ts';

/**
 * NVIDIA's DCGM, as its public headers have it (dcgm_agent.h and dcgm_structs.h of DCGM 2 to 4). Every call may block:
 * this is loaded in a thread of its own. From the header, not yet run on hardware.
 */
export interface Dcgm {
  readonly path: string;
  init(): number;
  shutdown(): number;
  /** The engine within this process; it samples by itself. */
  startEmbedded(): Opened;
  stopEmbedded(handle: bigint): number;
  connect(address: string, timeoutMs: number): Opened;
  disconnect(handle: bigint): number;
  supportedGpus(handle: bigint): { readonly code: number; readonly ids: readonly number[] };
  createGroup(handle: bigint, name: string): Opened;
  addGpu(handle: bigint, group: bigint, gpu: number): number;
  destroyGroup(handle: bigint, group: bigint): number;
  createFieldGroup(handle: bigint, name: string, fields: readonly number[]): Opened;
  destroyFieldGroup(handle: bigint, fields: bigint): number;
  watch(handle: bigint, group: bigint, fields: bigint, every: Watch): number;
  unwatch(handle: bigint, group: bigint, fields: bigint): number;
  updateAll(handle: bigint): number;
  /** The last values of these fields, as `dcgmFieldValue_v1` one after another. The bytes are good until the next call. */
  latest(
    handle: bigint,
    gpu: number,
    fields: readonly number[],
  ): { readonly code: number; readonly bytes: Buffer };
  pause(handle: bigint): number;
  resume(handle: bigint): number;
}

export interface Opened {
  readonly code: number;
  readonly handle: bigint;
}

export interface Watch {
  readonly microseconds: number;
  readonly keepSeconds: number;
}

const MAX_GPUS = 32;
const AUTOMATIC = 1;
const EMPTY_GROUP = 1;
const ENTITY_GPU = 1;
const CONNECT_PARAMS_BYTES = 16;
const CONNECT_PARAMS_V2 = 0x02000000 | CONNECT_PARAMS_BYTES;
/** `DCGM_ST_FUNCTION_NOT_FOUND`: what is said of a call that this version of the library does not have. */
const NO_SUCH_CALL = -20;

type Call = (...given: unknown[]) => number;

/** Loads the first of these libraries that there is. @throws when there is none */
export function loadDcgm(paths: readonly string[]): Dcgm {
  const { library, path } = firstOf(paths);
  const call = (declaration: string): Call => {
    try {
      return library.func(declaration) as Call;
    } catch {
      return () => NO_SUCH_CALL;
    }
  };
  const out = Buffer.alloc(8);
  const opened = (code: number): Opened => ({ code, handle: code === 0 ? out.readBigUInt64LE() : 0n });

  const init = call('int dcgmInit()');
  const shutdown = call('int dcgmShutdown()');
  const startEmbedded = call('int dcgmStartEmbedded(int, void *)');
  const stopEmbedded = call('int dcgmStopEmbedded(uintptr_t)');
  const connect = call('int dcgmConnect_v2(const char *, void *, void *)');
  const disconnect = call('int dcgmDisconnect(uintptr_t)');
  const supported = call('int dcgmGetAllSupportedDevices(uintptr_t, void *, void *)');
  const groupCreate = call('int dcgmGroupCreate(uintptr_t, int, const char *, void *)');
  const groupAdd = call('int dcgmGroupAddEntity(uintptr_t, uintptr_t, int, uint32_t)');
  const groupDestroy = call('int dcgmGroupDestroy(uintptr_t, uintptr_t)');
  const fieldsCreate = call('int dcgmFieldGroupCreate(uintptr_t, int, void *, const char *, void *)');
  const fieldsDestroy = call('int dcgmFieldGroupDestroy(uintptr_t, uintptr_t)');
  const watch = call('int dcgmWatchFields(uintptr_t, uintptr_t, uintptr_t, int64_t, double, int)');
  const unwatch = call('int dcgmUnwatchFields(uintptr_t, uintptr_t, uintptr_t)');
  const updateAll = call('int dcgmUpdateAllFields(uintptr_t, int)');
  const latest = call('int dcgmGetLatestValuesForFields(uintptr_t, int, void *, uint32_t, void *)');
  const pause = call('int dcgmProfPause(uintptr_t)');
  const resume = call('int dcgmProfResume(uintptr_t)');
  let values = Buffer.alloc(0);

  return {
    path,
    init: () => init(),
    shutdown: () => shutdown(),
    startEmbedded: () => opened(startEmbedded(AUTOMATIC, out)),
    stopEmbedded: (handle) => stopEmbedded(handle),
    connect: (address, timeoutMs) => {
      const params = Buffer.alloc(CONNECT_PARAMS_BYTES);
      params.writeUInt32LE(CONNECT_PARAMS_V2, 0);
      params.writeUInt32LE(timeoutMs, 8);
      params.writeUInt32LE(address.startsWith('/') ? 1 : 0, 12);
      return opened(connect(address, params, out));
    },
    disconnect: (handle) => disconnect(handle),
    supportedGpus: (handle) => {
      const ids = Buffer.alloc(MAX_GPUS * 4);
      const count = Buffer.alloc(4);
      const code = supported(handle, ids, count);
      const length = code === 0 ? Math.max(0, Math.min(MAX_GPUS, count.readInt32LE())) : 0;
      return { code, ids: Array.from({ length }, (_, at) => ids.readUInt32LE(at * 4)) };
    },
    createGroup: (handle, name) => opened(groupCreate(handle, EMPTY_GROUP, name, out)),
    addGpu: (handle, group, gpu) => groupAdd(handle, group, ENTITY_GPU, gpu),
    destroyGroup: (handle, group) => groupDestroy(handle, group),
    createFieldGroup: (handle, name, fields) =>
      opened(fieldsCreate(handle, fields.length, idBytes(fields), name, out)),
    destroyFieldGroup: (handle, fields) => fieldsDestroy(handle, fields),
    watch: (handle, group, fields, { microseconds, keepSeconds }) =>
      watch(handle, group, fields, microseconds, keepSeconds, 0),
    unwatch: (handle, group, fields) => unwatch(handle, group, fields),
    updateAll: (handle) => updateAll(handle, 1),
    latest: (handle, gpu, fields) => {
      const size = fields.length * VALUE_BYTES;
      if (values.length < size) values = Buffer.alloc(size);
      const code = latest(handle, gpu, idBytes(fields), fields.length, values);
      return { code, bytes: values.subarray(0, size) };
    },
    pause: (handle) => pause(handle),
    resume: (handle) => resume(handle),
  };
}

function firstOf(paths: readonly string[]) {
  let last: unknown;
  for (const path of paths) {
    try {
      return { library: koffi.load(path), path };
    } catch (thrown) {
      last = thrown;
    }
  }
  throw new Error(
    'libdcgm was not found: install datacenter-gpu-manager, or name it in OTEL_GPU_DCGM_LIB_PATH',
    {
      cause: last,
    },
  );
}

function idBytes(fields: readonly number[]): Buffer {
  const bytes = Buffer.alloc(fields.length * 2);
  fields.forEach((field, at) => bytes.writeUInt16LE(field, at * 2));
  return bytes;
}
