/**
 * Threads of this process that sit in a call which does not return (a dead file server, a sick driver). The normal end of
 * a process waits for all its threads, and so for ever: see `endProcess`.
 */
let stuck = 0;

/** Says that a thread hangs; the function that comes back says that it goes on. */
export function noteStuckThread(): () => void {
  stuck += 1;
  let noted = true;
  return () => {
    if (noted) stuck -= 1;
    noted = false;
  };
}

export const stuckThreads = (): number => stuck;

/** Ends the process by `exit`, or, when threads hang, without asking them. Output must have been written before. */
export async function endProcess(code: number, exit: (code: number) => void): Promise<void> {
  if (stuck === 0) {
    exit(code);
    return;
  }
  try {
    const { exitAtOnce } = await import('./exit/native.ts');
    exitAtOnce(code);
  } catch {
    // Without the library of native calls this is the one way out that waits for nobody.
    process.kill(process.pid, 'SIGKILL');
  }
}
