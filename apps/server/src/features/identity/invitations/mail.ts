import type { Logger } from '@candela/kernel';
import { sendMail } from '../../../mail/send-mail.ts';

export interface Mailer {
  /** Whether the mail server took it. Never throws: the link can be copied. */
  invite(input: {
    readonly to: string;
    readonly organisation: string;
    readonly inviter: string;
    readonly link: string;
  }): Promise<boolean>;
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
        await sendMail(smtpUrl, {
          from: mailFrom,
          to: [to],
          subject: `Invitation to ${organisation} on Candela`,
          text: `${inviter} invites you to ${organisation} on Candela.\n\nOpen this link to join; it works once:\n${link}\n`,
        });
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
