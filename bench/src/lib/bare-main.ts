import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

/** The least that any design on Node has to do: takes a body, and answers with the bytes of a file. Prints its port. */
const answer = readFileSync(process.argv[2] ?? '');
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : ''}\n`);
});
