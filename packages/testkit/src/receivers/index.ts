/** Receivers of messages on real sockets: an HTTP server and a mail server that remember what they were sent. */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface MessageReceiver {
  readonly url: string;
  readonly messages: readonly ReceivedMessage[];
  /** What the next requests are answered with; 200 once there is none left. */
  readonly answers: { status: number; headers?: Readonly<Record<string, string>> }[];
  close(): Promise<void>;
}

/** A receiver of webhooks: any path. */
export async function startMessageReceiver(): Promise<MessageReceiver> {
  const messages: ReceivedMessage[] = [];
  const answers: MessageReceiver['answers'] = [];
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      messages.push({ path: request.url ?? '', headers: request.headers, body });
      const { status, headers = {} } = answers.shift() ?? { status: 200 };
      response.writeHead(status, headers).end('ok');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    answers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface MailReceiver {
  /** For PLATFORM_SMTP_URL. */
  readonly url: string;
  /** Everything that clients said, line by line. */
  readonly lines: readonly string[];
  close(): Promise<void>;
}

/** A mail server that takes everything. */
export async function startMailReceiver(): Promise<MailReceiver> {
  const lines: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    socket.write('220 mail.test ESMTP\r\n');
    let buffer = '';
    let inMail = false;
    socket.on('data', (chunk: Buffer) => {
      buffer += chunk.toString();
      for (let end = buffer.indexOf('\r\n'); end >= 0; end = buffer.indexOf('\r\n')) {
        const line = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        lines.push(line);
        if (inMail && line !== '.') continue;
        inMail = !inMail && line === 'DATA';
        if (inMail) socket.write('354 go on\r\n');
        else socket.write(line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lines,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
