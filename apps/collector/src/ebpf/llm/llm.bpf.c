/*
 * Copies what processes hand to and get from their TLS library, in clear, when the call returns: a write that was refused
 * (the socket is full) is made again with the same bytes. Each call is cut into records of at most DATA_BYTES; what does
 * not fit in CHUNKS records is left out and counted. The arguments are those of OpenSSL's SSL_read/SSL_write (also
 * BoringSSL's), their _ex variants, and GnuTLS's gnutls_record_send/recv. The name of the server is what the client asks
 * for by SNI.
 */
#include "../loader/bpf.h"

enum { DATA_BYTES = 4096, CHUNKS = 16, SMALL_BYTES = 480 };
enum { READ = 0, WRITE = 1, CLOSE = 2, SERVER = 3, CONNECT = 4 };
enum { DROP_RING = 0, DROP_LONG = 1 };
/* Whoever reads looks by itself: to wake it for each record costs the traced program. */
enum { NO_WAKEUP = 1 };
enum { SET_TLSEXT_HOSTNAME = 55, NAME_BYTES = 256 };

/* Where the frame of the caller begins: the same at the entry and at the return of a call. One call may be within another
 * of the same thread (TLS through a proxy that speaks TLS). */
#if defined(ARCH_X64)
#define FRAME_AT_ENTRY(c) ((c)->sp + 8)
#else
#define FRAME_AT_ENTRY(c) ((c)->sp)
#endif
#define FRAME_AT_RETURN(c) ((c)->sp)

struct call_key {
  u64 thread, frame;
};
struct call_value {
  u64 stream, buffer, length_at, kind;
};
struct event {
  u64 time, stream;
  u32 pid, total;
  u16 kind, size;
  u32 offset;
  u8 data[DATA_BYTES];
};
/* An event of a stream is mostly short: its record takes no more of the ring than it needs. */
struct small_event {
  u64 time, stream;
  u32 pid, total;
  u16 kind, size;
  u32 offset;
  u8 data[SMALL_BYTES];
};

SEC("maps") struct map ring = {MAP_RINGBUF, 0, 0, 1 << 24};
SEC("maps") struct map calls = {MAP_LRU_HASH, sizeof(struct call_key), sizeof(struct call_value), 16384};
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
  if (total <= SMALL_BYTES) {
    struct small_event *s = ring_reserve(&ring, sizeof *s, 0);
    if (!s) {
      dropped(DROP_RING);
      return 0;
    }
    s->time = time;
    s->stream = stream;
    s->pid = pid;
    s->total = total;
    s->kind = kind;
    s->size = total;
    s->offset = 0;
    read_user(s->data, total, (void *)buffer);
    ring_submit(s, NO_WAKEUP);
    return 0;
  }
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
    ring_submit(e, NO_WAKEUP);
  }
  if (total > CHUNKS * DATA_BYTES) dropped(DROP_LONG);
  return 0;
}

INLINE int keep(struct registers *c, u64 kind, u64 stream, u64 buffer, u64 length_at) {
  struct call_key key = {pid_tgid(), FRAME_AT_ENTRY(c)};
  struct call_value value = {stream, buffer, length_at, kind};
  map_update(&calls, &key, &value, ANY);
  return 0;
}

INLINE int named(u64 stream, u64 name) {
  struct small_event *e = ring_reserve(&ring, sizeof *e, 0);
  if (!e) {
    dropped(DROP_RING);
    return 0;
  }
  long size = name ? read_user_text(e->data, NAME_BYTES, (void *)name) : 0;
  e->time = ktime_ns();
  e->stream = stream;
  e->pid = pid_tgid() >> 32;
  e->total = e->offset = 0;
  e->kind = SERVER;
  e->size = size > 1 ? (u16)(size - 1) : 0;
  ring_submit(e, NO_WAKEUP);
  return 0;
}

/*
 * Of every TCP connection of the host that begins: who makes it, and to where. The arguments are those of the tracepoint
 * inet_sock_set_state: a socket, its state and the next one. Offsets of `struct sock_common`, the same since Linux 4.
 */
enum { SYN_SENT = 2, V4 = 2, V6 = 10 };
enum { TO_V4 = 0, TO_PORT = 12, FAMILY = 16, TO_V6 = 56 };
static long (*read_kernel)(void *to, u32 size, const void *from) = (void *)113;

SEC("raw_tracepoint/0/inet_sock_set_state") int inet_sock_set_state(u64 *arguments) {
  if ((int)arguments[2] != SYN_SENT) return 0;
  const u8 *socket = (const u8 *)arguments[0];
  u16 family = 0;
  read_kernel(&family, sizeof family, socket + FAMILY);
  if (family != V4 && family != V6) return 0;
  struct small_event *e = ring_reserve(&ring, sizeof *e, 0);
  if (!e) return 0;
  e->time = ktime_ns();
  e->stream = family;
  e->pid = pid_tgid() >> 32;
  e->total = e->offset = 0;
  e->kind = CONNECT;
  e->size = family == V4 ? 6 : 18;
  read_kernel(e->data, 2, socket + TO_PORT);
  if (family == V4)
    read_kernel(e->data + 2, 4, socket + TO_V4);
  else
    read_kernel(e->data + 2, 16, socket + TO_V6);
  ring_submit(e, NO_WAKEUP);
  return 0;
}

PROGRAM(uprobe, 1, ssl_write) { return keep(c, WRITE, ARG1(c), ARG2(c), 0); }
PROGRAM(uprobe, 2, ssl_write_ex) { return keep(c, WRITE, ARG1(c), ARG2(c), ARG4(c)); }
PROGRAM(uprobe, 3, ssl_read) { return keep(c, READ, ARG1(c), ARG2(c), 0); }
PROGRAM(uprobe, 4, ssl_read_ex) { return keep(c, READ, ARG1(c), ARG2(c), ARG4(c)); }
PROGRAM(uprobe, 5, ssl_free) {
  struct small_event *e = ring_reserve(&ring, sizeof *e, 0);
  if (!e) {
    dropped(DROP_RING);
    return 0;
  }
  e->time = ktime_ns();
  e->stream = ARG1(c);
  e->pid = pid_tgid() >> 32;
  e->total = e->offset = 0;
  e->kind = CLOSE;
  e->size = 0;
  ring_submit(e, NO_WAKEUP);
  return 0;
}
/* SSL_set_tlsext_host_name is a macro over it in OpenSSL. */
PROGRAM(uprobe, 7, ssl_ctrl) { return (int)ARG2(c) == SET_TLSEXT_HOSTNAME ? named(ARG1(c), ARG4(c)) : 0; }
PROGRAM(uprobe, 8, ssl_set_name) { return named(ARG1(c), ARG2(c)); }
PROGRAM(uprobe, 9, gnutls_set_name) { return named(ARG1(c), ARG3(c)); }
PROGRAM(uretprobe, 6, did) {
  struct call_key key = {pid_tgid(), FRAME_AT_RETURN(c)};
  struct call_value *call = map_lookup(&calls, &key);
  if (!call) return 0;
  struct call_value value = *call;
  map_delete(&calls, &key);
  long length = (int)RESULT(c);
  if (value.length_at) {
    u64 done = 0;
    if (length != 1) return 0;
    read_user(&done, sizeof done, (void *)value.length_at);
    length = (long)done;
  }
  return copy(value.kind == WRITE ? WRITE : READ, value.stream, value.buffer, length);
}

SEC("uprobe/0/entry") int entry(struct registers *c) {
  switch (attach_cookie(c)) {
    case 1: return ssl_write_body(c);
    case 2: return ssl_write_ex_body(c);
    case 3: return ssl_read_body(c);
    case 4: return ssl_read_ex_body(c);
    case 5: return ssl_free_body(c);
    case 7: return ssl_ctrl_body(c);
    case 8: return ssl_set_name_body(c);
    case 9: return gnutls_set_name_body(c);
  }
  return 0;
}
SEC("uretprobe/0/leave") int leave(struct registers *c) { return did_body(c); }

SEC("license") char licence[] = "Dual MIT/GPL";
