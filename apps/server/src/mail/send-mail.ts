import { createConnection, type Socket } from 'node:net';

const TIMEOUT_MS = 10_000;
/** From the connection to its end; a server that says a byte now and then is no faster than that. */
const MAIL_MS = 30_000;
/** Of all that a server says to a mail. */
const ANSWER_BYTES = 1 << 20;
const WATCH_MS = 100;

export interface Mail {
  readonly from: string;
  /** Addresses alone, without names. */
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** Makes the header Message-ID: the same mail sent twice has the same one. */
  readonly messageId?: string;
}

/** A connection that ends when it has lasted too long or too much came over it. */
function boundedSocket(host: string, port: number): Socket {
  const socket = createConnection({ host, port, timeout: TIMEOUT_MS });
  const until = performance.now() + MAIL_MS;
  const watch = setInterval(() => {
    if (performance.now() > until) socket.destroy(new Error('The mail server took too long.'));
    else if (socket.bytesRead > ANSWER_BYTES) socket.destroy(new Error('The mail server said too much.'));
  }, WATCH_MS);
  socket.once('close', () => clearInterval(watch));
  return socket;
}

/**
 * Sends one mail over SMTP. @param smtpUrl `smtp://user:password@host:587` or `smtps://`
 * @throws what the server or the connection says
 */
export async function sendMail(smtpUrl: string, mail: Mail): Promise<void> {
  // Loaded at the first mail: most installations send none.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    getSocket({ host = '', port, secure }, done) {
      const connection = boundedSocket(host, Number(port ?? (secure === true ? 465 : 587)));
      connection.once('connect', () => done(null, { connection }));
      connection.once('timeout', () => connection.destroy(new Error('The mail server did not answer.')));
      connection.once('error', (error) => done(error, false));
    },
    url: smtpUrl,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({
      from: mail.from,
      to: mail.to.map((address) => ({ name: '', address })),
      // A line break in a header would begin another one.
      subject: mail.subject.replaceAll(/\p{Cc}+/gu, ' '),
      text: mail.text,
      ...(mail.messageId === undefined ? {} : { messageId: mail.messageId }),
    });
  } finally {
    transport.close();
  }
}
