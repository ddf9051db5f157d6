import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect, type Socket } from 'node:net';

/**
 * A program of its own that holds idle sockets, drips headers and resets streams as fast as it can. Arguments: HTTP
 * port, gRPC port, number of sockets. Says `ready` once it is in full swing and goes on until it is killed.
 */
const [httpPort = 0, grpcPort = 0, count = 0] = process.argv.slice(2).map(Number);
const METHOD = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

const sockets: Socket[] = [];
for (let n = 0; n < count; n += 100) {
  const batch = Array.from({ length: Math.min(100, count - n) }, () => connect(httpPort, '127.0.0.1'));
  for (const socket of batch) socket.on('error', () => {});
  await Promise.all(batch.map((socket) => once(socket, 'connect').catch(() => undefined)));
  sockets.push(...batch);
}

setInterval(() => {
  for (const socket of sockets.slice(0, count / 10)) if (socket.writable) socket.write('x');
}, 200);

let session = connectHttp2(`http://127.0.0.1:${grpcPort}`);
session.on('error', () => {});
setInterval(() => {
  if (session.destroyed || session.closed) {
    session = connectHttp2(`http://127.0.0.1:${grpcPort}`);
    session.on('error', () => {});
  }
  for (let n = 0; n < 50 && !session.destroyed; n += 1) {
    const stream = session.request({
      ':method': 'POST',
      ':path': METHOD,
      'content-type': 'application/grpc',
    });
    stream.on('error', () => {});
    stream.close(constants.NGHTTP2_CANCEL);
  }
}, 20);

process.stdout.write('ready\n');
