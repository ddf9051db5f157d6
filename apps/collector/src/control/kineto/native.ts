import koffi from 'koffi';

/**
 * Datagrams over Unix sockets, with the number of the process that sent them: Node has streams only. Linux, 64 bits.
 * Nothing here stops the event loop.
 */
export interface DatagramSocket {
  /** Waits until there is a datagram, at most so long; a thread of Node's pool waits, not the event loop. */
  wait(milliseconds: number): Promise<void>;
  /** The next datagram; undefined when there is none now. One that was longer than `bytes` is cut. */
  receive(): Datagram | undefined;
  /** Whether the other side took it. */
  send(address: Buffer, bytes: Buffer): boolean;
  close(): void;
}

export interface Datagram {
  /** Good until the next one. */
  readonly bytes: Buffer;
  /** `sockaddr_un` of the sender, to answer it. */
  readonly from: Buffer;
  /** The sender as the kernel knows it, in the numbers of this namespace; 0 when it is outside of it. */
  readonly pid: number;
}

const [AF_UNIX, SOCK_DGRAM, SOCK_NONBLOCK, SOCK_CLOEXEC] = [1, 2, 0x800, 0x80000];
const [SOL_SOCKET, SO_PASSCRED, SCM_CREDENTIALS] = [1, 16, 2];
const [MSG_DONTWAIT, MSG_NOSIGNAL] = [0x40, 0x4000];
const ADDRESS_BYTES = 110;
const CONTROL_BYTES = 64;
const [EADDRINUSE, ECONNREFUSED] = [98, 111];

class SocketError extends Error {
  override readonly name = 'SocketError';
  readonly inUse: boolean;
  constructor(call: string, errno: number) {
    super(`${call} failed with errno ${errno}`);
    this.inUse = errno === EADDRINUSE;
  }
}

/** `sockaddr_un`: a path, or a name that is no file when it begins with `@`. */
export function socketAddress(name: string): Buffer {
  const path = Buffer.from(name.startsWith('@') ? `\0${name.slice(1)}\0` : `${name}\0`);
  if (path.length > ADDRESS_BYTES - 2)
    throw new Error(`the name of the socket is longer than the system takes: ${name}`);
  const address = Buffer.alloc(2 + path.length);
  address.writeUInt16LE(AF_UNIX);
  path.copy(address, 2);
  return address;
}

const libc = koffi.load(null);
const call = (declaration: string) => libc.func(declaration) as (...given: unknown[]) => number;
const socket = call('int socket(int, int, int)');
const bind = call('int bind(int, void *, uint32_t)');
const connect = call('int connect(int, void *, uint32_t)');
const setsockopt = call('int setsockopt(int, int, int, void *, uint32_t)');
const recvmsg = call('long recvmsg(int, void *, int)');
const sendto = call('long sendto(int, void *, size_t, int, void *, uint32_t)');
const close = call('int close(int)');
const poll = libc.func('int poll(void *, unsigned long, int)');
const POLLIN = 1;
const REVENTS_AT = 6;

function open(): number {
  const descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) throw new SocketError('socket', koffi.errno());
  return descriptor;
}

/** Whether a socket file has nobody behind it any more. */
export function isAbandoned(path: string): boolean {
  const descriptor = open();
  try {
    const address = socketAddress(path);
    return connect(descriptor, address, address.length) < 0 && koffi.errno() === ECONNREFUSED;
  } finally {
    close(descriptor);
  }
}

/** Binds `name`; datagrams of at most `bytes` are taken. @throws SocketError */
export function bindDatagramSocket(name: string, bytes: number): DatagramSocket {
  const descriptor = open();
  const address = socketAddress(name);
  const one = Buffer.from([1, 0, 0, 0]);
  const fail = (what: string): never => {
    const errno = koffi.errno();
    close(descriptor);
    throw new SocketError(what, errno);
  };
  if (setsockopt(descriptor, SOL_SOCKET, SO_PASSCRED, one, one.length) < 0) fail('setsockopt');
  if (bind(descriptor, address, address.length) < 0) fail('bind');

  // Kept for as long as the socket: the message header has their addresses.
  const data = Buffer.alloc(bytes);
  const from = Buffer.alloc(ADDRESS_BYTES);
  const control = Buffer.alloc(CONTROL_BYTES);
  const vector = Buffer.alloc(16);
  vector.writeBigUInt64LE(BigInt(koffi.address(data)), 0);
  vector.writeBigUInt64LE(BigInt(data.length), 8);
  const header = Buffer.alloc(56);
  // The same for what is waited for: the descriptor and the event.
  const waited = Buffer.alloc(8);
  waited.writeInt32LE(descriptor, 0);
  waited.writeInt16LE(POLLIN, 4);
  let closed = false;
  return {
    wait: (milliseconds) =>
      new Promise((resolve) => {
        waited.writeInt16LE(0, REVENTS_AT);
        poll.async(waited, 1, milliseconds, (_error: unknown, ready: number) => {
          // A socket that is broken says so at once, and would be asked again without end.
          const broken = ready !== 0 && (waited.readInt16LE(REVENTS_AT) & POLLIN) === 0;
          if (broken) setTimeout(resolve, milliseconds);
          else resolve();
        });
      }),
    receive: () => {
      if (closed) return undefined;
      header.writeBigUInt64LE(BigInt(koffi.address(from)), 0);
      header.writeUInt32LE(from.length, 8);
      header.writeBigUInt64LE(BigInt(koffi.address(vector)), 16);
      header.writeBigUInt64LE(1n, 24);
      header.writeBigUInt64LE(BigInt(koffi.address(control)), 32);
      header.writeBigUInt64LE(BigInt(control.length), 40);
      const length = recvmsg(descriptor, header, MSG_DONTWAIT);
      if (length < 0) return undefined;
      const given = Math.min(from.length, header.readUInt32LE(8));
      return {
        bytes: data.subarray(0, length),
        from: Buffer.from(from.subarray(0, given)),
        pid: credentialsOf(control.subarray(0, Number(header.readBigUInt64LE(40)))),
      };
    },
    send: (to, message) =>
      !closed &&
      sendto(descriptor, message, message.length, MSG_DONTWAIT | MSG_NOSIGNAL, to, to.length) ===
        message.length,
    close: () => {
      if (!closed) close(descriptor);
      closed = true;
    },
  };
}

/** The process of a `cmsghdr` with credentials, which the kernel fills in; 0 without. */
function credentialsOf(control: Buffer): number {
  if (
    control.length < 28 ||
    control.readInt32LE(8) !== SOL_SOCKET ||
    control.readInt32LE(12) !== SCM_CREDENTIALS
  ) {
    return 0;
  }
  return control.readInt32LE(16);
}
