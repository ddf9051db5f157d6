import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { eraseUserData } from './erase-user.ts';

it('asks for nothing to be deleted where its certificate cannot be written', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end('{"err":"asked"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const env = { PLATFORM_URL: `http://127.0.0.1:${port}`, PLATFORM_API_KEY: 'pk_x' };
  const world = { env, cwd: tmpdir(), program: [], say: () => undefined };
  const certificate = 'candela-no-such-folder/ada.json';
  const done = eraseUserData.run(['ada', '--yes', '--certificate', certificate], world);
  await expect(done).rejects.toThrow('ENOENT');
  expect(asked).toBe(0);
});
