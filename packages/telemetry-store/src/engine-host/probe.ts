import { Agent, request } from 'node:http';

/** A timer that comes this much too late says that our own process stood still, not the engine. */
const LATE_MS = 1_000;

/** True when the engine itself ran a statement within `limitMs`; time in which this process stood still does not count. */
export function probe(socketPath: string, limitMs: number): Promise<boolean> {
  return new Promise((done) => {
    let timer: NodeJS.Timeout;
    const req = request({ socketPath, path: '/probe', agent: new Agent({ keepAlive: false }) }, (res) => {
      res.resume();
      res.once('end', () => {
        clearTimeout(timer);
        done(res.statusCode === 200);
      });
    });
    const wait = (): void => {
      const due = performance.now() + limitMs;
      timer = setTimeout(() => {
        if (performance.now() - due >= LATE_MS) wait();
        else req.destroy(new Error('no answer'));
      }, limitMs);
    };
    wait();
    req.once('error', () => {
      clearTimeout(timer);
      done(false);
    });
    req.end();
  });
}
