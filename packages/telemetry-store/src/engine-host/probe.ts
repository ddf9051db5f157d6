import { Agent, request } from 'node:http';

/** True when the engine itself ran a statement within `limitMs`. */
export function probe(socketPath: string, limitMs: number): Promise<boolean> {
  return new Promise((done) => {
    const req = request({ socketPath, path: '/probe', agent: new Agent({ keepAlive: false }) }, (res) => {
      res.resume();
      res.once('end', () => {
        clearTimeout(timer);
        done(res.statusCode === 200);
      });
    });
    const timer = setTimeout(() => req.destroy(new Error('no answer')), limitMs);
    req.once('error', () => {
      clearTimeout(timer);
      done(false);
    });
    req.end();
  });
}
