import { type HttpChannel, json, shownEvents, titleOf, WORD } from './channel.ts';

/** Characters of a section; Slack refuses more than 3,000. */
const SECTION = 2_800;
/** Sections of a message: all blocks together are refused near 13,000 characters. */
const MOST = 20;
const EACH = 500;

/** Texts of others mention nobody: `<!channel>` is text. */
const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** An incoming webhook of Slack; its address is the secret. At least once: Slack cannot tell a message that comes twice. */
export const slack: HttpChannel<'slack'> = {
  via: 'http',
  secret: 'address',
  addresses: () => [],
  calls(message, { secret }) {
    const { shown, more } = shownEvents(message, MOST);
    const lines = shown.map(({ status, summary }) => `*${WORD[status]}* ${escape(summary.slice(0, EACH))}`);
    if (more > 0) lines.push(`and ${more} more`);
    const section = (text: string) => ({
      type: 'section',
      text: { type: 'mrkdwn', text: text.slice(0, SECTION) },
    });
    const link = message.url.startsWith('http') ? ` <${message.url}|Open>` : '';
    return [
      json(secret ?? '', {
        text: escape(titleOf(message)).slice(0, 300),
        blocks: [section(`*${escape(titleOf(message)).slice(0, 300)}*${link}`), ...lines.map(section)],
      }),
    ];
  },
};
