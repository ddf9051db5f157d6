/* What programs of this agent need of the kernel, written down from its ABI: no header of another package is used. */
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))
#define INLINE static __attribute__((always_inline)) inline

enum { MAP_HASH = 1, MAP_ARRAY = 2, MAP_PERCPU_ARRAY = 6, MAP_LRU_HASH = 9, MAP_RINGBUF = 27 };
enum { ANY = 0, NOEXIST = 1 };

/* A map is one such record in the section `maps`; the loader creates it and puts its descriptor where it is named. */
struct map {
  u32 type, key_size, value_size, max_entries;
};

static void *(*map_lookup)(const void *map, const void *key) = (void *)1;
static long (*map_update)(const void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*map_delete)(const void *map, const void *key) = (void *)3;
static u64 (*ktime_ns)(void) = (void *)5;
static u64 (*pid_tgid)(void) = (void *)14;
static long (*read_user)(void *to, u32 size, const void *from) = (void *)112;
static long (*read_user_text)(void *to, u32 size, const void *from) = (void *)114;
static void *(*ring_reserve)(const void *ring, u64 size, u64 flags) = (void *)131;
static u64 (*attach_cookie)(void *context) = (void *)174;
static void (*ring_submit)(void *record, u64 flags) = (void *)132;

/* Registers at the first instruction of a function, after the calling conventions of each architecture. */
#if defined(ARCH_X64)
struct registers {
  u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};
#define ARG1(c) ((c)->di)
#define ARG2(c) ((c)->si)
#define ARG3(c) ((c)->dx)
#define ARG4(c) ((c)->cx)
#define ARG5(c) ((c)->r8)
#define ARG6(c) ((c)->r9)
#define RESULT(c) ((c)->ax)
/* The first argument on the stack lies above the return address. */
#define STACK(c, index) ((c)->sp + 8 + 8 * (index))
#elif defined(ARCH_ARM64)
struct registers {
  u64 regs[31], sp, pc, pstate;
};
#define ARG1(c) ((c)->regs[0])
#define ARG2(c) ((c)->regs[1])
#define ARG3(c) ((c)->regs[2])
#define ARG4(c) ((c)->regs[3])
#define ARG5(c) ((c)->regs[4])
#define ARG6(c) ((c)->regs[5])
#define ARG7(c) ((c)->regs[6])
#define ARG8(c) ((c)->regs[7])
#define RESULT(c) ((c)->regs[0])
#define STACK(c, index) ((c)->sp + 8 * (index))
#else
#error "name an architecture: ARCH_X64 or ARCH_ARM64"
#endif

INLINE u64 stack_argument(u64 at) {
  u64 value = 0;
  read_user(&value, sizeof value, (void *)at);
  return value;
}
