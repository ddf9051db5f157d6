import { type HttpChannel, json, shownEvents, titleOf, WORD } from './channel.ts';

const MOST = 20;
const EACH = 500;

/** Texts of others are text: a link or a mention in them is none. */
const plain = (text: string): string => text.replaceAll(/[\\*_[\]()<>`#~]/g, (character) => `\\${character}`);

const block = (text: string, more: object = {}) => ({ type: 'TextBlock', wrap: true, text, ...more });

/** A workflow of Microsoft Teams that posts a card when a webhook is called; its address is the secret. At least once. */
export const teams: HttpChannel<'teams'> = {
  via: 'http',
  secret: 'address',
  addresses: () => [],
  calls(message, { secret }) {
    const { shown, more } = shownEvents(message, MOST);
    return [
      json(secret ?? '', {
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            content: {
              $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
              type: 'AdaptiveCard',
              version: '1.4',
              body: [
                block(plain(titleOf(message).slice(0, 300)), { weight: 'Bolder', size: 'Medium' }),
                ...shown.map(({ status, summary }) =>
                  block(`${WORD[status]}: ${plain(summary.slice(0, EACH))}`),
                ),
                ...(more > 0 ? [block(`and ${more} more`)] : []),
              ],
              actions: message.url.startsWith('http')
                ? [{ type: 'Action.OpenUrl', title: 'Open', url: message.url }]
                : [],
            },
          },
        ],
      }),
    ];
  },
};
