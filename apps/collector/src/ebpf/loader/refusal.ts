import { readHead } from '../../files.ts';
import type { HostPaths } from '../../host-paths.ts';
import { errorText } from '../../log.ts';
import { SystemCallError } from './native.ts';

/** Why no program can be put in the kernel here, and what to do about it. */
export function refusalOf(thrown: unknown, paths: HostPaths): string {
  if (!(thrown instanceof SystemCallError)) return errorText(thrown);
  const { code, call } = thrown;
  if (code === 'ENOSYS') return 'this kernel was built without BPF (CONFIG_BPF_SYSCALL)';
  if (code === 'EPERM' || code === 'EACCES') {
    if (lockdownOf(paths) === 'confidentiality') {
      return 'this kernel is locked down (confidentiality), which forbids BPF to read memory of programs';
    }
    return call === 'perf_event_open' || call === 'ioctl'
      ? `the kernel refused a probe (${call}: ${code}): give the agent CAP_SYS_ADMIN, or run Linux 6.6, where CAP_BPF and CAP_PERFMON are enough`
      : `the kernel refused BPF (${call}: ${code}): give the agent CAP_BPF and CAP_PERFMON (CAP_SYS_ADMIN before Linux 5.8); in a container seccomp must allow bpf()`;
  }
  if (code === 'EINVAL' && call === 'BPF_MAP_CREATE') {
    return 'this kernel has no ring buffer for BPF: Linux 5.8 is the oldest that has';
  }
  if (code === 'ENOENT' || code === 'EOPNOTSUPP' || code === 'EINVAL') {
    return `this kernel has no probes for programs (${call}: ${code}): CONFIG_UPROBES and CONFIG_BPF_EVENTS are needed`;
  }
  if (code === 'ENOMEM' || code === 'EMFILE') return `the kernel has no room for the programs (${code})`;
  return `${call} failed with ${code}`;
}

function lockdownOf({ sys }: HostPaths): string | undefined {
  return /\[(\w+)\]/.exec(readHead(`${sys}/kernel/security/lockdown`, 256) ?? '')?.[1];
}
