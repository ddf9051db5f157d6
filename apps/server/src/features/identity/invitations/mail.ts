import { createConnection, type Socket } from 'node:net';
import type { Logger } from '@candela/kernel';

export interface Mailer {
  /** Whether the mail server took it. Never throws: the link can be copied. */
  invite(input: {
    readonly to: string;
    readonly organisation: string;
    readonly inviter: string;
    readonly link: string;
  }): Promise<boolean>;
}

const TIMEOUT_MS = 10_000;
/** From the connection to its end; a server that says a byte now and then is no faster than that. */
const MAIL_MS = 30_000;
/** Of all that a server says to a mail. */
const ANSWER_BYTES = 1 << 20;
const WATCH_MS = 100;

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

/** Mails over SMTP, when it is set up. */
export function createMailer(parts: {
  /** `smtp://user:password@host:587` or `smtps://`; undefined: no mail. */
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  readonly logger: Logger;
}): Mailer {
  const { smtpUrl, mailFrom, logger } = parts;
  return {
    async invite({ to, organisation, inviter, link }) {
      if (smtpUrl === undefined) return false;
      try {
        // Loaded at the first mail: most installations send none.
        const { createTransport } = await import('nodemailer');
        const transport = createTransport({
          getSocket({ host = '', port, secure }, done) {
            const connection = boundedSocket(host, Number(port ?? (secure === true ? 465 : 587)));
            connection.once('connect', () => done(null, { connection }));
            connection.once('timeout', () =>
              connection.destroy(new Error('The mail server did not answer.')),
            );
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
            from: mailFrom,
            to: { name: '', address: to },
            subject: `Invitation to ${organisation} on Candela`,
            text: `${inviter} invites you to ${organisation} on Candela.\n\nOpen this link to join; it works once:\n${link}\n`,
          });
        } finally {
          transport.close();
        }
        return true;
      } catch (error) {
        logger.warn(
          { err: error },
          'an invitation could not be mailed; its link can be copied in the settings',
        );
        return false;
      }
    },
  };
}
