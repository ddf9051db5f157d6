import type { GpuConfig } from '../../config.ts';
import type { Pid } from '../../host/proc/pid.ts';
import type { PointAttributes } from '../../point-attributes.ts';
import type { Owners } from './owners.ts';

/** What stays the same of a process as long as it runs: its program, its arguments where they are wanted, its user. */
export function describeProcess(
  process: Pid,
  pid: number,
  owners: Owners,
  { processCmdline, processCmdlineMaxLength }: GpuConfig,
): PointAttributes {
  const name = process.executableName();
  const line = processCmdline ? process.commandLine(processCmdlineMaxLength) : undefined;
  const uid = process.status()?.uid;
  const owner = uid === undefined ? undefined : owners.nameOf(uid);
  return {
    'process.pid': pid,
    ...(name === undefined ? {} : { 'process.executable.name': name }),
    ...(line === undefined ? {} : { 'process.command_line': line }),
    ...(owner === undefined ? {} : { 'process.owner': owner }),
  };
}
