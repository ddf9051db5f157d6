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
  /** Instances of GPUs that are cut (MIG); none where this version of the library cannot tell. */
  instances(handle: bigint): readonly Instance[];
  add(handle: bigint, group: bigint, entity: Entity): number;
  destroyGroup(handle: bigint, group: bigint): number;
  createFieldGroup(handle: bigint, name: string, fields: readonly number[]): Opened;
  destroyFieldGroup(handle: bigint, fields: bigint): number;
  watch(handle: bigint, group: bigint, fields: bigint, every: Watch): number;
  unwatch(handle: bigint, group: bigint, fields: bigint): number;
  updateAll(handle: bigint): number;
  /** The last values of these fields, as `dcgmFieldValue_v1` one after another. The bytes are good until the next call. */
  latest(
    handle: bigint,
    of: Entity,
    fields: readonly number[],
  ): { readonly code: number; readonly bytes: Buffer };
  pause(handle: bigint): number;
  resume(handle: bigint): number;
}

export interface Opened {
  readonly code: number;
  readonly handle: bigint;
}

/** What is watched: a GPU, or an instance of one, by the library's own number. */
export interface Entity {
  readonly kind: 'gpu' | 'instance';
  readonly id: number;
}

export interface Instance {
  readonly entity: Entity;
  readonly gpuUuid: string;
  /** As NVML numbers the instances of a GPU. */
  readonly instance: number;
}

export interface Watch {
  readonly microseconds: number;
  readonly keepSeconds: number;
}

const MAX_GPUS = 32;
const AUTOMATIC = 1;
const EMPTY_GROUP = 1;
/** `dcgm_field_entity_group_t`. */
const ENTITY = { gpu: 1, instance: 4 } as const;
/** `dcgmMigHierarchy_v2`: of each entry what it is, what it is a part of, the UUID of the GPU and five numbers. */
const HIERARCHY_ENTRIES = 448;
const ENTRY_BYTES = 164;
const HIERARCHY_BYTES = 8 + HIERARCHY_ENTRIES * ENTRY_BYTES;
const HIERARCHY_V2 = 0x02000000 | HIERARCHY_BYTES;
const ENTRY = { kind: 0, id: 4, uuid: 16, uuidBytes: 128, instance: 148 } as const;
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
  const hierarchy = call('int dcgmGetGpuInstanceHierarchy(uintptr_t, void *)');
  const latest = call('int dcgmEntityGetLatestValues(uintptr_t, int, int, void *, uint32_t, void *)');
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
    instances: (handle) => {
      const bytes = Buffer.alloc(HIERARCHY_BYTES);
      bytes.writeUInt32LE(HIERARCHY_V2);
      return hierarchy(handle, bytes) === 0 ? instancesOf(bytes) : [];
    },
    add: (handle, group, { kind, id }) => groupAdd(handle, group, ENTITY[kind], id),
    destroyGroup: (handle, group) => groupDestroy(handle, group),
    createFieldGroup: (handle, name, fields) =>
      opened(fieldsCreate(handle, fields.length, idBytes(fields), name, out)),
    destroyFieldGroup: (handle, fields) => fieldsDestroy(handle, fields),
    watch: (handle, group, fields, { microseconds, keepSeconds }) =>
      watch(handle, group, fields, microseconds, keepSeconds, 0),
    unwatch: (handle, group, fields) => unwatch(handle, group, fields),
    updateAll: (handle) => updateAll(handle, 1),
    latest: (handle, { kind, id }, fields) => {
      const size = fields.length * VALUE_BYTES;
      if (values.length < size) values = Buffer.alloc(size);
      const code = latest(handle, ENTITY[kind], id, idBytes(fields), fields.length, values);
      return { code, bytes: values.subarray(0, size) };
    },
    pause: (handle) => pause(handle),
    resume: (handle) => resume(handle),
  };
}

/** The instances among the entries: those that compute within one are entries of their own. */
function instancesOf(bytes: Buffer): Instance[] {
  const length = Math.min(HIERARCHY_ENTRIES, bytes.readUInt32LE(4));
  const found: Instance[] = [];
  for (let at = 8; at < 8 + length * ENTRY_BYTES; at += ENTRY_BYTES) {
    if (bytes.readUInt32LE(at + ENTRY.kind) !== ENTITY.instance) continue;
    const uuid = bytes
      .toString('latin1', at + ENTRY.uuid, at + ENTRY.uuid + ENTRY.uuidBytes)
      .split('\0', 1)[0];
    found.push({
      entity: { kind: 'instance', id: bytes.readUInt32LE(at + ENTRY.id) },
      gpuUuid: uuid ?? '',
      instance: bytes.readUInt32LE(at + ENTRY.instance),
    });
  }
  return found;
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
