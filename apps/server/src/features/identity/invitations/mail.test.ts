import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMailer } from './mail.ts';

/** A mail server on a real socket: takes everything, or refuses what is sent to. */
let server: Server;
let url: string;
let refuse: boolean;
let said: string[];
const open = new Set<Socket>();
beforeEach(async () => {
  refuse = false;
  said = [];
  server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.write('220 mail.test ESMTP\r\n');
    let buffer = '';
    let inMail = false;
    socket.on('data', (chunk: Buffer) => {
      buffer += chunk.toString();
      for (let end = buffer.indexOf('\r\n'); end >= 0; end = buffer.indexOf('\r\n')) {
        const line = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        said.push(line);
        if (inMail && line !== '.') continue;
        const wasMail = inMail;
        inMail = !wasMail && line === 'DATA';
        if (refuse && line.startsWith('RCPT')) socket.write('550 nobody here\r\n');
        else if (inMail) socket.write('354 go on\r\n');
        else socket.write(line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = `smtp://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});
afterEach(() => {
  for (const socket of open) socket.destroy();
  server.close();
});

const INVITATION = {
  to: 'new@example.com',
  organisation: 'House\r\nBcc: all@example.com',
  inviter: 'owner@example.com',
  link: 'https://candela.example.com/invitation?token=abc',
};
const mailer = (smtpUrl: string | undefined) =>
  createMailer({ smtpUrl, mailFrom: 'candela@example.com', logger: silentLogger });

it('an invitation goes to its address alone, whatever the organisation is called', async () => {
  expect(await mailer(url).invite(INVITATION)).toBe(true);
  expect(said.filter((line) => line.startsWith('RCPT'))).toEqual(['RCPT TO:<new@example.com>']);
  const data = said.slice(said.indexOf('DATA') + 1);
  const headers = data.slice(0, data.indexOf(''));
  expect(headers).toContain('From: candela@example.com');
  expect(headers.some((line) => /^bcc:/i.test(line))).toBe(false);
  const text = said.join('\n').replaceAll('=\n', '').replaceAll('=3D', '=');
  expect(text).toContain(INVITATION.link);
});

it('that is not taken is no failure: the link can be copied', async () => {
  refuse = true;
  expect(await mailer(url).invite(INVITATION)).toBe(false);
  expect(await mailer('smtp://127.0.0.1:1').invite(INVITATION)).toBe(false);
  expect(await mailer(undefined).invite(INVITATION)).toBe(false);
});

it('a mail server that talks without end is left', async () => {
  let written = 0;
  const talker = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    const more = (): void => {
      while (!socket.destroyed && written < 1 << 28) {
        written += 1 << 16;
        if (!socket.write(Buffer.alloc(1 << 16, 'x'))) {
          socket.once('drain', more);
          return;
        }
      }
    };
    more();
  });
  talker.listen(0, '127.0.0.1');
  await once(talker, 'listening');
  const address = talker.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  expect(await mailer(`smtp://127.0.0.1:${port}`).invite(INVITATION)).toBe(false);
  expect(written).toBeLessThan(1 << 28);
  talker.close();
});
