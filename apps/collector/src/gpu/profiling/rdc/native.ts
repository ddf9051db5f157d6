import koffi from 'koffi';

/**
 * AMD's RDC, as its public header has it (rdc.h). Every call may block: this is loaded in a thread of its own. From the
 * header, not yet run on hardware.
 */
export interface Rdc {
  init(): number;
  shutdown(): number;
  /** The engine within this process; it samples by itself. */
  startEmbedded(): { readonly code: number; readonly handle: unknown };
  stopEmbedded(handle: unknown): number;
  devices(handle: unknown): { readonly code: number; readonly indexes: readonly number[] };
  createGroup(handle: unknown, name: string): Made;
  addGpu(handle: unknown, group: number, gpu: number): number;
  destroyGroup(handle: unknown, group: number): number;
  createFieldGroup(handle: unknown, name: string, fields: readonly number[]): Made;
  destroyFieldGroup(handle: unknown, fields: number): number;
  watch(handle: unknown, group: number, fields: number, microseconds: number, keepSeconds: number): number;
  unwatch(handle: unknown, group: number, fields: number): number;
  /** The last value of a field, as `rdc_field_value`. The bytes are good until the next call. */
  latest(handle: unknown, gpu: number, field: number): { readonly code: number; readonly bytes: Buffer };
}

export interface Made {
  readonly code: number;
  readonly id: number;
}

/** `rdc_field_value`. */
const VALUE_BYTES = 280;
/** Of the newest header; older ones write less. */
const MAX_DEVICES = 128;
const AUTOMATIC = 0;
const EMPTY_GROUP = 1;
/** `RDC_ST_NOT_SUPPORTED`: what is said of a call that this version of the library does not have. */
const NO_SUCH_CALL = 1;
/** `max_keep_samples`: 0 means no limit in the header, but RdcCacheManagerImpl::evict_cache then removes every sample. */
const KEPT_SAMPLES = 3;

type Call = (...given: unknown[]) => number;

/** Loads the first of these libraries that there is. @throws when there is none */
export function loadRdc(paths: readonly string[]): Rdc {
  const library = firstOf(paths);
  const call = (declaration: string): Call => {
    try {
      return library.func(declaration) as Call;
    } catch {
      return () => NO_SUCH_CALL;
    }
  };
  const init = call('uint32_t rdc_init(uint64_t)');
  const shutdown = call('uint32_t rdc_shutdown()');
  const startEmbedded = call('uint32_t rdc_start_embedded(int, _Out_ void **)');
  const stopEmbedded = call('uint32_t rdc_stop_embedded(void *)');
  const deviceGetAll = call('uint32_t rdc_device_get_all(void *, void *, void *)');
  const groupCreate = call('uint32_t rdc_group_gpu_create(void *, int, const char *, void *)');
  const groupAdd = call('uint32_t rdc_group_gpu_add(void *, uint32_t, uint32_t)');
  const groupDestroy = call('uint32_t rdc_group_gpu_destroy(void *, uint32_t)');
  const fieldsCreate = call(
    'uint32_t rdc_group_field_create(void *, uint32_t, void *, const char *, void *)',
  );
  const fieldsDestroy = call('uint32_t rdc_group_field_destroy(void *, uint32_t)');
  const watch = call('uint32_t rdc_field_watch(void *, uint32_t, uint32_t, uint64_t, double, uint32_t)');
  const unwatch = call('uint32_t rdc_field_unwatch(void *, uint32_t, uint32_t)');
  const latest = call('uint32_t rdc_field_get_latest_value(void *, uint32_t, uint32_t, void *)');
  const out = Buffer.alloc(4);
  const value = Buffer.alloc(VALUE_BYTES);

  return {
    init: () => init(0),
    shutdown: () => shutdown(),
    startEmbedded: () => {
      const handle: unknown[] = [null];
      const code = startEmbedded(AUTOMATIC, handle);
      return { code, handle: handle[0] };
    },
    stopEmbedded: (handle) => stopEmbedded(handle),
    devices: (handle) => {
      const indexes = Buffer.alloc(MAX_DEVICES * 4);
      const code = deviceGetAll(handle, indexes, out);
      const length = code === 0 ? Math.min(MAX_DEVICES, out.readUInt32LE()) : 0;
      return { code, indexes: Array.from({ length }, (_, at) => indexes.readUInt32LE(at * 4)) };
    },
    createGroup: (handle, name) => ({
      code: groupCreate(handle, EMPTY_GROUP, name, out),
      id: out.readUInt32LE(),
    }),
    addGpu: (handle, group, gpu) => groupAdd(handle, group, gpu),
    destroyGroup: (handle, group) => groupDestroy(handle, group),
    createFieldGroup: (handle, name, fields) => {
      const ids = Buffer.alloc(fields.length * 4);
      fields.forEach((field, at) => ids.writeUInt32LE(field, at * 4));
      return { code: fieldsCreate(handle, fields.length, ids, name, out), id: out.readUInt32LE() };
    },
    destroyFieldGroup: (handle, fields) => fieldsDestroy(handle, fields),
    watch: (handle, group, fields, microseconds, keepSeconds) =>
      watch(handle, group, fields, microseconds, keepSeconds, KEPT_SAMPLES),
    unwatch: (handle, group, fields) => unwatch(handle, group, fields),
    latest: (handle, gpu, field) => ({ code: latest(handle, gpu, field, value), bytes: value }),
  };
}

function firstOf(paths: readonly string[]) {
  let last: unknown;
  for (const path of paths) {
    try {
      return koffi.load(path);
    } catch (thrown) {
      last = thrown;
    }
  }
  throw new Error('librdc was not found: install the ROCm package rdc, or name it in OTEL_GPU_RDC_LIB_PATH', {
    cause: last,
  });
}
