/*
 * Counts CUDA calls in the kernel. What is a sum is added up here; only what needs order (a launch and the
 * synchronisation that ends it) and names go through the ring. Offsets and arguments are those of cuda_runtime_api.h
 * and cuda.h.
 */
#include "../loader/bpf.h"

enum { EVENT_LAUNCH = 1, EVENT_SYNC = 2, EVENT_NAME = 3, EVENT_PROCESS = 4 };
enum { KIND_KERNEL = 0, KIND_GRAPH = 1 };
enum { SYNC_STREAM = 0, SYNC_DEVICE = 1 };
enum { LEVEL_RUNTIME = 1, LEVEL_DRIVER = 2 };
enum { DROP_RING = 0, DROP_KERNELS = 1, DROP_PROCESSES = 2, DROP_MEMORY = 3 };
enum { UNKNOWN_DEVICE = 0xffff, BUCKETS = 32, NAME_BYTES = 256 };
enum { MEMORY_ALLOCATED = 16 };
/* Calls that have an entry and a return, one of each kind at a time in a thread. */
enum { CALL_ALLOCATE = 1, CALL_WAIT = 2, CALL_NAME = 3, CALL_ALIAS = 4, CALL_DEVICE = 5 };

struct kernel_key {
  u64 function;
  u32 pid;
  u16 device, kind;
};
/* Bucket i counts values v with 2^(i-1) < v <= 2^i; bucket 0 those of at most 1. */
struct kernel_value {
  u64 launches, grid_sum, block_sum, shared_sum;
  u32 grid[BUCKETS], block[BUCKETS], shared[BUCKETS];
};
/* `what` is the kind of a copy as CUDA numbers it (0 host to host … 4 by address), or MEMORY_ALLOCATED. */
struct memory_key {
  u32 pid;
  u16 device, what;
};
struct memory_value {
  u64 bytes, calls;
};
struct process_value {
  u64 hits;
};
/* A driver call with the same dimensions right after a call of the runtime is the same launch, seen a second time. */
struct pending_value {
  u64 grid, block, what;
};
struct call_key {
  u64 thread, call;
};
struct call_value {
  u64 first, second;
};
struct stub_key {
  u64 pid, function;
};
struct stub_value {
  u64 name, alias;
};
struct event_key {
  u64 pid, event;
};
/* Where and when an event was recorded last: who waits for it knows nothing of what was launched later. */
struct recorded_value {
  u64 stream, time;
};

struct event {
  u8 type, kind;
  u16 device;
  u32 pid;
  u64 time, stream, function, threads;
};
struct name_event {
  u8 type, kind;
  u16 device;
  u32 pid;
  u64 function, alias;
  char name[NAME_BYTES];
};

SEC("maps") struct map ring = {MAP_RINGBUF, 0, 0, 1 << 22};
SEC("maps") struct map kernels = {MAP_HASH, sizeof(struct kernel_key), sizeof(struct kernel_value), 8192};
/* A record of nothing but zeroes: it is larger than the stack. */
SEC("maps") struct map no_kernel = {MAP_ARRAY, sizeof(u32), sizeof(struct kernel_value), 1};
SEC("maps") struct map memory = {MAP_HASH, sizeof(struct memory_key), sizeof(struct memory_value), 8192};
SEC("maps") struct map processes = {MAP_HASH, sizeof(u32), sizeof(struct process_value), 4096};
SEC("maps") struct map devices = {MAP_LRU_HASH, sizeof(u64), sizeof(u32), 16384};
SEC("maps") struct map pending = {MAP_LRU_HASH, sizeof(u64), sizeof(struct pending_value), 16384};
SEC("maps") struct map calls = {MAP_LRU_HASH, sizeof(struct call_key), sizeof(struct call_value), 16384};
SEC("maps") struct map stubs = {MAP_LRU_HASH, sizeof(struct stub_key), sizeof(struct stub_value), 65536};
SEC("maps") struct map recorded = {MAP_LRU_HASH, sizeof(struct event_key), sizeof(struct recorded_value), 16384};
SEC("maps") struct map drops = {MAP_ARRAY, sizeof(u32), sizeof(u64), 4};
SEC("maps") struct map calibration = {MAP_ARRAY, sizeof(u32), sizeof(u64), 1};

/*
 * A program by itself, for events that can hold one place each, and a body that `entry` or `leave` calls by the number:
 * with links of many places one link is enough for all of them. Taking a link out costs the kernel tens of milliseconds.
 */
#define PROGRAM(kind, number, name)                                                    \
  INLINE int name##_body(struct registers *c);                                         \
  SEC(#kind "/" #number "/" #name) int name(struct registers *c) { return name##_body(c); } \
  INLINE int name##_body(struct registers *c)

INLINE void dropped(u32 what) {
  u64 *count = map_lookup(&drops, &what);
  if (count) __sync_fetch_and_add(count, 1);
}

INLINE u16 current_device(u64 id) {
  u32 *device = map_lookup(&devices, &id);
  return device ? (u16)*device : UNKNOWN_DEVICE;
}

INLINE void hit(u32 pid) {
  struct process_value *known = map_lookup(&processes, &pid);
  if (!known) {
    struct process_value none = {0};
    if (map_update(&processes, &pid, &none, NOEXIST) == 0) {
      struct event *e = ring_reserve(&ring, sizeof *e, 0);
      if (e) {
        e->type = EVENT_PROCESS;
        e->kind = 0;
        e->device = UNKNOWN_DEVICE;
        e->pid = pid;
        e->time = ktime_ns();
        e->stream = e->function = e->threads = 0;
        ring_submit(e, 0);
      } else {
        dropped(DROP_RING);
      }
    }
    known = map_lookup(&processes, &pid);
    if (!known) {
      dropped(DROP_PROCESSES);
      return;
    }
  }
  __sync_fetch_and_add(&known->hits, 1);
}

/* Smallest i with value <= 2^i, at most BUCKETS - 1. */
INLINE u32 bucket(u64 value) {
  u32 index = 0;
  if (value <= 1) return 0;
  value -= 1;
  if (value >> 32) return BUCKETS - 1;
  if (value >> 16) { index += 16; value >>= 16; }
  if (value >> 8) { index += 8; value >>= 8; }
  if (value >> 4) { index += 4; value >>= 4; }
  if (value >> 2) { index += 2; value >>= 2; }
  if (value >> 1) index += 1;
  index += 1;
  return index > BUCKETS - 1 ? BUCKETS - 1 : index;
}

INLINE void name_of(u32 pid, u64 function) {
  struct stub_key key = {pid, function};
  struct stub_value *stub = map_lookup(&stubs, &key);
  u64 alias = 0, name = 0;
  if (stub) {
    alias = stub->alias;
    name = stub->name;
    if (alias) {
      key.function = alias;
      stub = map_lookup(&stubs, &key);
      if (stub) name = stub->name;
    }
  }
  if (!name && !alias) return;
  struct name_event *e = ring_reserve(&ring, sizeof *e, 0);
  if (!e) return dropped(DROP_RING);
  e->type = EVENT_NAME;
  e->kind = 0;
  e->device = UNKNOWN_DEVICE;
  e->pid = pid;
  e->function = function;
  e->alias = alias;
  e->name[0] = 0;
  if (name) read_user_text(e->name, NAME_BYTES, (void *)name);
  ring_submit(e, 0);
}

INLINE void add_launch(u64 id, u64 function, u64 grid, u64 block, u64 shared, u64 stream, u16 kind) {
  u32 pid = id >> 32;
  u16 device = current_device(id);
  struct kernel_key key = {function, pid, device, kind};
  struct kernel_value *value = map_lookup(&kernels, &key);
  if (!value) {
    u32 zero = 0;
    struct kernel_value *none = map_lookup(&no_kernel, &zero);
    if (!none) return;
    if (map_update(&kernels, &key, none, NOEXIST) == 0 && kind == KIND_KERNEL) name_of(pid, function);
    value = map_lookup(&kernels, &key);
    if (!value) {
      /* No room for another kernel: nothing else is lost but what it was. */
      dropped(DROP_KERNELS);
      return;
    }
  }
  __sync_fetch_and_add(&value->launches, 1);
  if (kind == KIND_KERNEL) {
    __sync_fetch_and_add(&value->grid_sum, grid);
    __sync_fetch_and_add(&value->block_sum, block);
    __sync_fetch_and_add(&value->shared_sum, shared);
    u32 at = bucket(grid) & (BUCKETS - 1);
    __sync_fetch_and_add(&value->grid[at], 1);
    at = bucket(block) & (BUCKETS - 1);
    __sync_fetch_and_add(&value->block[at], 1);
    at = bucket(shared) & (BUCKETS - 1);
    __sync_fetch_and_add(&value->shared[at], 1);
  }
  struct event *e = ring_reserve(&ring, sizeof *e, 0);
  if (!e) return dropped(DROP_RING);
  e->type = EVENT_LAUNCH;
  e->kind = kind;
  e->device = device;
  e->pid = pid;
  e->time = ktime_ns();
  e->stream = stream;
  e->function = function;
  e->threads = grid * block;
  ring_submit(e, 0);
}

/* Leaves word for the driver, which sees the same launch again. */
INLINE void expect(u64 id, u64 grid, u64 block, u64 what) {
  struct pending_value value = {grid, block, what};
  map_update(&pending, &id, &value, ANY);
}

/* Whether the runtime has told of this already. */
INLINE int expected(u64 id, u64 grid, u64 block, u64 what) {
  struct pending_value *value = map_lookup(&pending, &id);
  if (!value) return 0;
  int same = value->grid == grid && value->block == block && value->what == what;
  if (same) map_delete(&pending, &id);
  return same;
}

INLINE u64 product(u64 x, u64 y, u64 z) { return (x & 0xffffffff) * (y & 0xffffffff) * (z & 0xffffffff); }

/* The handles 0 and 1 are the stream that waits for all others, 2 is one that a thread has for itself. */
INLINE u64 stream_of(u64 id, u64 handle, int per_thread) {
  if (handle == 2 || (handle == 0 && per_thread)) return 1ull << 52 | (u32)id;
  return handle == 1 ? 0 : handle;
}

INLINE void runtime_launch(u64 function, u64 grid, u64 block, u64 shared, u64 stream, int per_thread) {
  u64 id = pid_tgid();
  hit(id >> 32);
  expect(id, grid, block, KIND_KERNEL);
  add_launch(id, function, grid, block, shared, stream_of(id, stream, per_thread), KIND_KERNEL);
}

INLINE void launched_by_driver(u64 function, u64 grid, u64 block, u64 shared, u64 stream, int per_thread) {
  u64 id = pid_tgid();
  hit(id >> 32);
  if (expected(id, grid, block, KIND_KERNEL)) return;
  add_launch(id, function, grid, block, shared, stream_of(id, stream, per_thread), KIND_KERNEL);
}

/* cudaLaunchKernel, cudaLaunchCooperativeKernel (func, dim3 grid, dim3 block, args, shared, stream). */
INLINE int launch_at(struct registers *c, int per_thread) {
  u64 gxy = ARG2(c), gz = ARG3(c), bxy = ARG4(c), bz = ARG5(c);
#if defined(ARCH_X64)
  u64 shared = stack_argument(STACK(c, 0)), stream = stack_argument(STACK(c, 1));
#else
  u64 shared = ARG7(c), stream = ARG8(c);
#endif
  runtime_launch(ARG1(c), product(gxy, gxy >> 32, gz), product(bxy, bxy >> 32, bz), shared, stream, per_thread);
  return 0;
}
PROGRAM(uprobe, 1, launch) { return launch_at(c, 0); }
PROGRAM(uprobe, 2, launch_ptsz) { return launch_at(c, 1); }

struct launch_config {
  u32 grid[3], block[3];
  u64 shared, stream;
};

/* cudaLaunchKernelExC (config, func, args). */
INLINE int launch_ex_at(struct registers *c, int per_thread) {
  struct launch_config g = {0};
  read_user(&g, sizeof g, (void *)ARG1(c));
  runtime_launch(ARG2(c), product(g.grid[0], g.grid[1], g.grid[2]), product(g.block[0], g.block[1], g.block[2]),
                 g.shared, g.stream, per_thread);
  return 0;
}
PROGRAM(uprobe, 3, launch_ex) { return launch_ex_at(c, 0); }
PROGRAM(uprobe, 4, launch_ex_ptsz) { return launch_ex_at(c, 1); }

/* cuLaunchKernel, cuLaunchCooperativeKernel (f, gx, gy, gz, bx, by, bz, shared, stream, …). */
INLINE int driver_launch_at(struct registers *c, int per_thread) {
#if defined(ARCH_X64)
  u64 bz = stack_argument(STACK(c, 0)), shared = stack_argument(STACK(c, 1)), stream = stack_argument(STACK(c, 2));
#else
  u64 bz = ARG7(c), shared = ARG8(c), stream = stack_argument(STACK(c, 0));
#endif
  launched_by_driver(ARG1(c), product(ARG2(c), ARG3(c), ARG4(c)), product(ARG5(c), ARG6(c), bz), shared & 0xffffffff, stream,
                per_thread);
  return 0;
}
PROGRAM(uprobe, 5, driver_launch) { return driver_launch_at(c, 0); }
PROGRAM(uprobe, 6, driver_launch_ptsz) { return driver_launch_at(c, 1); }

struct driver_config {
  u32 grid[3], block[3], shared, pad;
  u64 stream;
};

/* cuLaunchKernelEx (config, f, params, extra). */
INLINE int driver_launch_ex_at(struct registers *c, int per_thread) {
  struct driver_config g = {0};
  read_user(&g, sizeof g, (void *)ARG1(c));
  launched_by_driver(ARG2(c), product(g.grid[0], g.grid[1], g.grid[2]), product(g.block[0], g.block[1], g.block[2]),
                g.shared, g.stream, per_thread);
  return 0;
}
PROGRAM(uprobe, 7, driver_launch_ex) { return driver_launch_ex_at(c, 0); }
PROGRAM(uprobe, 8, driver_launch_ex_ptsz) { return driver_launch_ex_at(c, 1); }

/* cudaGraphLaunch (graph, stream). */
PROGRAM(uprobe, 9, graph) {
  u64 id = pid_tgid();
  hit(id >> 32);
  expect(id, ARG2(c), 0, KIND_GRAPH);
  add_launch(id, 0, 0, 0, 0, stream_of(id, ARG2(c), 0), KIND_GRAPH);
  return 0;
}

/* cuGraphLaunch (graph, stream). */
PROGRAM(uprobe, 10, driver_graph) {
  u64 id = pid_tgid();
  hit(id >> 32);
  if (expected(id, ARG2(c), 0, KIND_GRAPH)) return 0;
  add_launch(id, 0, 0, 0, 0, stream_of(id, ARG2(c), 0), KIND_GRAPH);
  return 0;
}

INLINE void add_memory(u64 id, u16 what, u64 bytes) {
  struct memory_key key = {id >> 32, current_device(id), what};
  struct memory_value *value = map_lookup(&memory, &key);
  if (!value) {
    struct memory_value none = {0};
    map_update(&memory, &key, &none, NOEXIST);
    value = map_lookup(&memory, &key);
    if (!value) return dropped(DROP_MEMORY);
  }
  __sync_fetch_and_add(&value->bytes, bytes);
  __sync_fetch_and_add(&value->calls, 1);
}

/* What a return probe needs to know of its entry. */
INLINE void entered(u64 id, u64 call, u64 first, u64 second) {
  struct call_key key = {id, call};
  struct call_value value = {first, second};
  map_update(&calls, &key, &value, ANY);
}

/* Takes it back; 0 when there was no entry. */
INLINE int returned(u64 id, u64 call, struct call_value *value) {
  struct call_key key = {id, call};
  struct call_value *known = map_lookup(&calls, &key);
  if (!known) return 0;
  *value = *known;
  map_delete(&calls, &key);
  return 1;
}

/* A call of the driver within one of the runtime is not told twice: the outer one stands. */
INLINE int allocate_at(u64 size, u64 level) {
  u64 id = pid_tgid();
  hit(id >> 32);
  struct call_key key = {id, CALL_ALLOCATE};
  struct call_value *outer = map_lookup(&calls, &key);
  if (outer && outer->second < level) return 0;
  entered(id, CALL_ALLOCATE, size, level);
  return 0;
}
INLINE int allocated_at(struct registers *c, u64 level) {
  u64 id = pid_tgid();
  struct call_key key = {id, CALL_ALLOCATE};
  struct call_value *call = map_lookup(&calls, &key);
  if (!call || call->second != level) return 0;
  u64 size = call->first;
  map_delete(&calls, &key);
  if ((u32)RESULT(c) == 0) add_memory(id, MEMORY_ALLOCATED, size);
  return 0;
}

/* cudaMalloc, cudaMallocAsync, cudaMallocManaged (out, size, …). */
PROGRAM(uprobe, 11, allocate) { return allocate_at(ARG2(c), LEVEL_RUNTIME); }
PROGRAM(uretprobe, 12, allocated) { return allocated_at(c, LEVEL_RUNTIME); }
/* cuMemAlloc_v2, cuMemAllocAsync, cuMemAllocManaged (out, size, …). */
PROGRAM(uprobe, 13, driver_allocate) { return allocate_at(ARG2(c), LEVEL_DRIVER); }
PROGRAM(uretprobe, 14, driver_allocated) { return allocated_at(c, LEVEL_DRIVER); }

INLINE void copied(u64 bytes, u16 direction, u64 level) {
  u64 id = pid_tgid();
  hit(id >> 32);
  if (level == LEVEL_RUNTIME) expect(id, bytes, 0, 100);
  else if (expected(id, bytes, 0, 100)) return;
  add_memory(id, direction, bytes);
}
/* cudaMemcpy, cudaMemcpyAsync (to, from, size, kind, …). */
PROGRAM(uprobe, 15, copy) {
  u64 kind = ARG4(c) & 0xffffffff;
  copied(ARG3(c), kind > 4 ? 4 : kind, LEVEL_RUNTIME);
  return 0;
}
/* cuMemcpyHtoD_v2 and so on (to, from, size). */
PROGRAM(uprobe, 16, copy_to_device) {
  copied(ARG3(c), 1, LEVEL_DRIVER);
  return 0;
}
PROGRAM(uprobe, 17, copy_to_host) {
  copied(ARG3(c), 2, LEVEL_DRIVER);
  return 0;
}
PROGRAM(uprobe, 18, copy_on_device) {
  copied(ARG3(c), 3, LEVEL_DRIVER);
  return 0;
}
PROGRAM(uprobe, 19, copy_any) {
  copied(ARG3(c), 4, LEVEL_DRIVER);
  return 0;
}

/* Of a synchronisation `function` is until when launches have ended; 0: all that came before it. */
INLINE void synchronized(u64 id, u8 kind, u64 stream, u64 until) {
  struct event *e = ring_reserve(&ring, sizeof *e, 0);
  if (!e) return dropped(DROP_RING);
  e->type = EVENT_SYNC;
  e->kind = kind;
  e->device = current_device(id);
  e->pid = id >> 32;
  e->time = ktime_ns();
  e->stream = stream;
  e->function = until;
  e->threads = 0;
  ring_submit(e, 0);
}

/* cudaDeviceSynchronize(), cuCtxSynchronize(), and copies that wait for what they copy. */
PROGRAM(uretprobe, 20, device_synchronized) {
  u64 id = pid_tgid();
  hit(id >> 32);
  if ((u32)RESULT(c) == 0) synchronized(id, SYNC_DEVICE, 0, 0);
  return 0;
}

/* cudaStreamSynchronize, cudaStreamQuery and the driver's (stream); a query that succeeds tells the same. */
INLINE int stream_wait_at(struct registers *c, int per_thread) {
  u64 id = pid_tgid();
  hit(id >> 32);
  entered(id, CALL_WAIT, stream_of(id, ARG1(c), per_thread), 0);
  return 0;
}
PROGRAM(uprobe, 21, stream_wait) { return stream_wait_at(c, 0); }
PROGRAM(uprobe, 22, stream_wait_ptsz) { return stream_wait_at(c, 1); }
/* cudaEventSynchronize, cudaEventQuery and the driver's (event). */
PROGRAM(uprobe, 23, event_wait) {
  u64 id = pid_tgid();
  hit(id >> 32);
  struct event_key key = {id >> 32, ARG1(c)};
  struct recorded_value *value = map_lookup(&recorded, &key);
  if (value) entered(id, CALL_WAIT, value->stream, value->time);
  return 0;
}
PROGRAM(uretprobe, 24, stream_waited) {
  u64 id = pid_tgid();
  struct call_value call;
  if (returned(id, CALL_WAIT, &call) && (u32)RESULT(c) == 0) synchronized(id, SYNC_STREAM, call.first, call.second);
  return 0;
}

/* cudaEventRecord, cuEventRecord (event, stream). */
INLINE int event_record_at(struct registers *c, int per_thread) {
  u64 id = pid_tgid();
  hit(id >> 32);
  struct event_key key = {id >> 32, ARG1(c)};
  struct recorded_value value = {stream_of(id, ARG2(c), per_thread), ktime_ns()};
  map_update(&recorded, &key, &value, ANY);
  return 0;
}
PROGRAM(uprobe, 25, event_record) { return event_record_at(c, 0); }
PROGRAM(uprobe, 26, event_record_ptsz) { return event_record_at(c, 1); }

/* cudaSetDevice(device): of this thread, from now on, when it succeeds. */
PROGRAM(uprobe, 27, set_device) {
  u64 id = pid_tgid();
  hit(id >> 32);
  entered(id, CALL_DEVICE, ARG1(c) & 0xffff, 0);
  return 0;
}
PROGRAM(uretprobe, 28, device_set) {
  u64 id = pid_tgid();
  struct call_value call;
  if (!returned(id, CALL_DEVICE, &call) || (u32)RESULT(c) != 0) return 0;
  u32 device = call.first;
  map_update(&devices, &id, &device, ANY);
  return 0;
}

/* __cudaRegisterFunction(handle, hostFun, deviceFun, deviceName, …): the name stays where it is. */
PROGRAM(uprobe, 29, register_function) {
  u64 id = pid_tgid();
  struct stub_key key = {id >> 32, ARG2(c)};
  struct stub_value value = {ARG4(c), 0};
  map_update(&stubs, &key, &value, ANY);
  return 0;
}

/* cuModuleGetFunction, cuLibraryGetKernel (out, module, name). */
PROGRAM(uprobe, 30, get_function) {
  u64 id = pid_tgid();
  entered(id, CALL_NAME, ARG1(c), ARG3(c));
  return 0;
}
PROGRAM(uretprobe, 31, got_function) {
  u64 id = pid_tgid();
  struct call_value call;
  if (!returned(id, CALL_NAME, &call) || (u32)RESULT(c) != 0) return 0;
  u64 function = 0, name = call.second;
  read_user(&function, sizeof function, (void *)call.first);
  if (!function) return 0;
  /* The text may be gone by the time of the first launch: it is told now. */
  struct name_event *e = ring_reserve(&ring, sizeof *e, 0);
  if (!e) {
    dropped(DROP_RING);
    return 0;
  }
  e->type = EVENT_NAME;
  e->kind = 0;
  e->device = UNKNOWN_DEVICE;
  e->pid = id >> 32;
  e->function = function;
  e->alias = 0;
  e->name[0] = 0;
  read_user_text(e->name, NAME_BYTES, (void *)name);
  ring_submit(e, 0);
  return 0;
}

/* cuKernelGetFunction(out, kernel), __cudaGetKernel(out, hostFun): another handle of the same. */
PROGRAM(uprobe, 32, get_alias) {
  u64 id = pid_tgid();
  entered(id, CALL_ALIAS, ARG1(c), ARG2(c));
  return 0;
}
PROGRAM(uretprobe, 33, got_alias) {
  u64 id = pid_tgid();
  struct call_value call;
  if (!returned(id, CALL_ALIAS, &call) || (u32)RESULT(c) != 0) return 0;
  u64 function = 0, base = call.second;
  read_user(&function, sizeof function, (void *)call.first);
  if (!function || function == base) return 0;
  struct stub_key key = {id >> 32, function};
  struct stub_value value = {0, base};
  map_update(&stubs, &key, &value, ANY);
  struct name_event *e = ring_reserve(&ring, sizeof *e, 0);
  if (!e) {
    dropped(DROP_RING);
    return 0;
  }
  e->type = EVENT_NAME;
  e->kind = 0;
  e->device = UNKNOWN_DEVICE;
  e->pid = id >> 32;
  e->function = function;
  e->alias = base;
  e->name[0] = 0;
  ring_submit(e, 0);
  return 0;
}

/* What a hit costs on this machine is measured with this one. */
PROGRAM(uprobe, 34, calibrate) {
  u32 zero = 0;
  u64 *count = map_lookup(&calibration, &zero);
  if (count) __sync_fetch_and_add(count, 1);
  return 0;
}

SEC("uprobe/0/entry") int entry(struct registers *c) {
  switch (attach_cookie(c)) {
    case 1: return launch_body(c);
    case 2: return launch_ptsz_body(c);
    case 3: return launch_ex_body(c);
    case 4: return launch_ex_ptsz_body(c);
    case 5: return driver_launch_body(c);
    case 6: return driver_launch_ptsz_body(c);
    case 7: return driver_launch_ex_body(c);
    case 8: return driver_launch_ex_ptsz_body(c);
    case 9: return graph_body(c);
    case 10: return driver_graph_body(c);
    case 11: return allocate_body(c);
    case 13: return driver_allocate_body(c);
    case 15: return copy_body(c);
    case 16: return copy_to_device_body(c);
    case 17: return copy_to_host_body(c);
    case 18: return copy_on_device_body(c);
    case 19: return copy_any_body(c);
    case 21: return stream_wait_body(c);
    case 22: return stream_wait_ptsz_body(c);
    case 23: return event_wait_body(c);
    case 25: return event_record_body(c);
    case 26: return event_record_ptsz_body(c);
    case 27: return set_device_body(c);
    case 29: return register_function_body(c);
    case 30: return get_function_body(c);
    case 32: return get_alias_body(c);
    case 34: return calibrate_body(c);
  }
  return 0;
}
SEC("uretprobe/0/leave") int leave(struct registers *c) {
  switch (attach_cookie(c)) {
    case 12: return allocated_body(c);
    case 14: return driver_allocated_body(c);
    case 20: return device_synchronized_body(c);
    case 24: return stream_waited_body(c);
    case 28: return device_set_body(c);
    case 31: return got_function_body(c);
    case 33: return got_alias_body(c);
  }
  return 0;
}

SEC("license") char licence[] = "Dual MIT/GPL";
