import type { Tick } from '../collection.ts';
import {
  askedAsLoopback,
  isLoopback,
  type ListenAddress,
  type Listening,
  listen,
  parseListenAddress,
} from '../http/listen.ts';
import { errorText, type Log } from '../log.ts';
import { PROMETHEUS_TYPE, prometheusText } from './prometheus-text.ts';

const VARIABLE = 'OTEL_GPU_PROMETHEUS_ADDR';

/** @throws Fault */
export const prometheusListenAddress = (address: string): ListenAddress =>
  parseListenAddress(VARIABLE, address);

/** Serves `/metrics` at `address`; every scrape is a tick of its own. @throws Fault it cannot be listened on */
export async function servePrometheus(
  address: string,
  options: {
    readonly collect: () => Promise<Tick>;
    readonly resource: () => ReadonlyMap<string, string>;
    readonly log: Log;
  },
): Promise<Listening> {
  const listenAddress = prometheusListenAddress(address);
  const loopbackOnly = isLoopback(listenAddress);
  return listen(VARIABLE, listenAddress, (request, response) => {
    const answer = (status: number, type: string, body: string, headers: Record<string, string> = {}) => {
      response.writeHead(status, {
        ...headers,
        'content-type': type,
        'content-length': Buffer.byteLength(body),
        'x-content-type-options': 'nosniff',
      });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    const plain = 'text/plain; charset=utf-8';
    // A page in a browser could have its own name point here and read what the machine does.
    if (loopbackOnly && !askedAsLoopback(request)) {
      return answer(403, plain, 'This address is reached as localhost, 127.0.0.1 or [::1] only.\n');
    }
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== '/metrics') return answer(404, plain, 'Metrics are at /metrics.\n');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return answer(405, plain, 'Use GET.\n', { allow: 'GET, HEAD' });
    }
    options.collect().then(
      (tick) => answer(200, PROMETHEUS_TYPE, prometheusText(tick, options.resource())),
      (thrown: unknown) => {
        options.log.error('a scrape failed', { detail: errorText(thrown) });
        answer(500, plain, 'The metrics could not be collected; see the log of the agent.\n');
      },
    );
  });
}
