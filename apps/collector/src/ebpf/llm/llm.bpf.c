/*
 * Copies what processes hand to and get from their TLS library, in clear. Each call is cut into records of at most
 * DATA_BYTES; what does not fit in CHUNKS records is left out and counted. The arguments are those of OpenSSL's
 * SSL_read/SSL_write (also BoringSSL's), their _ex variants, and GnuTLS's gnutls_record_send/recv.
 */
#include "../loader/bpf.h"

enum { DATA_BYTES = 4096, CHUNKS = 16 };
enum { READ = 0, WRITE = 1, CLOSE = 2 };
enum { DROP_RING = 0, DROP_LONG = 1 };

struct call_value {
  u64 stream, buffer, length_at;
};
struct event {
  u64 time, stream;
  u32 pid, total;
  u16 kind, size;
  u32 offset;
  u8 data[DATA_BYTES];
};

SEC("maps") struct map ring = {MAP_RINGBUF, 0, 0, 1 << 23};
SEC("maps") struct map calls = {MAP_LRU_HASH, sizeof(u64), sizeof(struct call_value), 16384};
SEC("maps") struct map drops = {MAP_ARRAY, sizeof(u32), sizeof(u64), 2};

#define PROGRAM(kind, number, name)                                                    \
  INLINE int name##_body(struct registers *c);                                         \
  SEC(#kind "/" #number "/" #name) int name(struct registers *c) { return name##_body(c); } \
  INLINE int name##_body(struct registers *c)

INLINE void dropped(u32 what) {
  u64 *count = map_lookup(&drops, &what);
  if (count) __sync_fetch_and_add(count, 1);
}

INLINE int copy(u32 kind, u64 stream, u64 buffer, long length) {
  if (length <= 0) return 0;
  u64 time = ktime_ns();
  u32 pid = pid_tgid() >> 32;
  u32 total = length > 0x7fffffff ? 0x7fffffff : (u32)length;
#pragma unroll
  for (int i = 0; i < CHUNKS; i++) {
    u32 offset = i * DATA_BYTES;
    if (offset >= total) return 0;
    struct event *e = ring_reserve(&ring, sizeof *e, 0);
    if (!e) {
      dropped(DROP_RING);
      return 0;
    }
    u32 size = total - offset;
    if (size > DATA_BYTES) size = DATA_BYTES;
    e->time = time;
    e->stream = stream;
    e->pid = pid;
    e->total = total;
    e->kind = kind;
    e->size = size;
    e->offset = offset;
    if (size == DATA_BYTES)
      read_user(e->data, DATA_BYTES, (void *)(buffer + offset));
    else
      read_user(e->data, size & (DATA_BYTES - 1), (void *)(buffer + offset));
    ring_submit(e, 0);
  }
  if (total > CHUNKS * DATA_BYTES) dropped(DROP_LONG);
  return 0;
}

INLINE int keep(u64 stream, u64 buffer, u64 length_at) {
  u64 id = pid_tgid();
  struct call_value value = {stream, buffer, length_at};
  map_update(&calls, &id, &value, ANY);
  return 0;
}

PROGRAM(uprobe, 1, ssl_write) { return copy(WRITE, ARG1(c), ARG2(c), (int)ARG3(c)); }
PROGRAM(uprobe, 2, ssl_write_ex) { return copy(WRITE, ARG1(c), ARG2(c), (long)ARG3(c)); }
PROGRAM(uprobe, 3, ssl_read) { return keep(ARG1(c), ARG2(c), 0); }
PROGRAM(uprobe, 4, ssl_read_ex) { return keep(ARG1(c), ARG2(c), ARG4(c)); }
PROGRAM(uprobe, 5, ssl_free) {
  struct event *e = ring_reserve(&ring, sizeof *e, 0);
  if (!e) return 0;
  e->time = ktime_ns();
  e->stream = ARG1(c);
  e->pid = pid_tgid() >> 32;
  e->total = e->offset = 0;
  e->kind = CLOSE;
  e->size = 0;
  ring_submit(e, 0);
  return 0;
}
PROGRAM(uretprobe, 6, did_read) {
  u64 id = pid_tgid();
  struct call_value *call = map_lookup(&calls, &id);
  if (!call) return 0;
  struct call_value value = *call;
  map_delete(&calls, &id);
  long length = (int)RESULT(c);
  if (value.length_at) {
    u64 read = 0;
    if (length != 1) return 0;
    read_user(&read, sizeof read, (void *)value.length_at);
    length = (long)read;
  }
  return copy(READ, value.stream, value.buffer, length);
}

SEC("uprobe/0/entry") int entry(struct registers *c) {
  switch (attach_cookie(c)) {
    case 1: return ssl_write_body(c);
    case 2: return ssl_write_ex_body(c);
    case 3: return ssl_read_body(c);
    case 4: return ssl_read_ex_body(c);
    case 5: return ssl_free_body(c);
  }
  return 0;
}
SEC("uretprobe/0/leave") int leave(struct registers *c) { return did_read_body(c); }

SEC("license") char licence[] = "Dual MIT/GPL";
