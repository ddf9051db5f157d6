import { ElfFile, readerOf } from '../loader/elf.ts';
import { openMapped, parseMaps, readMaps } from '../loader/mapped-files.ts';
import type { Link, LoadedObject, Place } from '../loader/programs.ts';
import type { HostPaths } from '../../host-paths.ts';

/** Functions by name, with the programs at their entry and return. */
const FUNCTIONS: readonly (readonly [string, readonly string[]])[] = [
  ['SSL_write', ['ssl_write', 'did']],
  ['SSL_write_ex', ['ssl_write_ex', 'did']],
  ['SSL_read', ['ssl_read', 'did']],
  ['SSL_read_ex', ['ssl_read_ex', 'did']],
  ['SSL_free', ['ssl_free']],
  ['SSL_ctrl', ['ssl_ctrl']],
  ['SSL_set_tlsext_host_name', ['ssl_set_name']],
  ['gnutls_record_send', ['ssl_write', 'did']],
  ['gnutls_record_recv', ['ssl_read', 'did']],
  ['gnutls_server_name_set', ['gnutls_set_name']],
  ['gnutls_deinit', ['ssl_free']],
];
const NAMES = new Set(FUNCTIONS.map(([name]) => name));
const LIBRARY = /\/lib(?:ssl|gnutls|boringssl)[^/]*\.so[^/]*$/;

/** Probes in one process, and what was found of its TLS. */
export interface Attached {
  readonly links: readonly Link[];
  /** Why nothing is attached; undefined when something is. */
  readonly reason: string | undefined;
  readonly files: readonly string[];
}

/**
 * Puts probes on the TLS of one process: its libraries, and the executable where it has the functions itself. They hold in
 * this process and in no other that maps the file. @throws SystemCallError where the kernel refuses
 */
export function attachTo(object: LoadedObject, paths: HostPaths, pid: number, exe: string): Attached {
  const maps = readMaps(paths, pid);
  if (maps === undefined)
    return { links: [], files: [], reason: 'its memory map cannot be read: CAP_SYS_PTRACE is needed' };
  const found = parseMaps(maps, (path) => LIBRARY.test(path) || path === exe);
  const seen = new Set<string>();
  const links: Link[] = [];
  const files: string[] = [];
  for (const file of found) {
    const open = openMapped(paths, pid, file);
    if (open === undefined) continue;
    try {
      if (seen.has(open.key)) continue;
      seen.add(open.key);
      const offsets = new ElfFile(readerOf(open.descriptor)).functionOffsets(NAMES);
      const places = new Map<string, Set<number>>();
      for (const [name, programs] of FUNCTIONS) {
        const offset = offsets.get(name);
        if (offset === undefined) continue;
        for (const program of programs) {
          const all = places.get(program) ?? new Set();
          places.set(program, all.add(offset));
        }
      }
      if (places.size === 0) continue;
      const all: Place[] = Array.from(places, ([program, at]) => ({ program, offsets: [...at] }));
      links.push(...object.attach(all, { path: open.path, pid }));
      files.push(file.path);
    } finally {
      open.close();
    }
  }
  return {
    links,
    files,
    reason:
      links.length > 0
        ? undefined
        : 'no TLS symbols: neither a library of OpenSSL, BoringSSL or GnuTLS nor the program itself has the functions (Bun, Go, rustls and Java have none): use an SDK',
  };
}
