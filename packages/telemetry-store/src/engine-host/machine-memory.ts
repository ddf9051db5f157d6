import { totalmem } from 'node:os';

/** Bytes that this process may use: those of the machine, or fewer where its container has a limit. */
export function machineMemory(): number {
  const constrained = process.constrainedMemory();
  // Without a limit the kernel says none, or one beyond any memory.
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
