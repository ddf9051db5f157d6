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
