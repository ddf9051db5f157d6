import { type MailChannel, shownEvents, titleOf, WORD } from './channel.ts';

const MOST = 100;

/** A mail over the server of PLATFORM_SMTP_URL. At least once. */
export const email: MailChannel<'email'> = {
  via: 'mail',
  secret: 'none',
  mail(message, { channel }) {
    const { shown, more } = shownEvents(message, MOST);
    return {
      to: channel.to,
      subject: `[Candela] ${titleOf(message)}`.slice(0, 250),
      text: [
        titleOf(message),
        '',
        ...shown.map(({ status, summary, at }) => `${at}  ${WORD[status]}: ${summary}`),
        ...(more > 0 ? [`and ${more} more`] : []),
        '',
        ...(message.alert.description === '' ? [] : [message.alert.description, '']),
        message.url,
        '',
      ].join('\n'),
    };
  },
};
