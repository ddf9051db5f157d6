import { type HttpChannel, isBad, json, shownEvents, titleOf, WORD } from './channel.ts';

const MOST = 15;
const RED = 0xd4_3d_3d;
const GREEN = 0x2e_9e_5b;

/** Texts of others are text. */
const plain = (text: string): string =>
  text.replaceAll(/[\\*_[\]()<>`#~|@]/g, (character) => `\\${character}`);

/** A webhook of Discord; its address is the secret. At least once. */
export const discord: HttpChannel<'discord'> = {
  via: 'http',
  secret: 'address',
  addresses: () => [],
  calls(message, { secret }) {
    const { shown, more } = shownEvents(message, MOST);
    const lines = shown.map(({ status, summary }) => `**${WORD[status]}** ${plain(summary.slice(0, 240))}`);
    if (more > 0) lines.push(`and ${more} more`);
    return [
      json(secret ?? '', {
        // Nobody is mentioned, whatever the text says.
        allowed_mentions: { parse: [] },
        embeds: [
          {
            title: plain(titleOf(message)).slice(0, 256),
            description: lines.join('\n').slice(0, 4_000),
            color: message.events.some(isBad) ? RED : GREEN,
            timestamp: new Date(message.sentAt).toISOString(),
            ...(message.url.startsWith('http') ? { url: message.url } : {}),
          },
        ],
      }),
    ];
  },
};
