import type { SpanDetail } from '@candela/contract';

/** Which price of which day a cost follows from, to stand behind the exact figure. */
export function originWords(origin: SpanDetail['costOrigin'] | undefined): string {
  switch (origin?.kind) {
    case 'custom':
      return `; by the custom price of ${origin.priceId ?? 'the model'} of ${origin.priceDate ?? 'an unknown day'}`;
    case 'list':
      return `; by the price of ${origin.priceId ?? 'the list'} of ${origin.priceDate ?? 'an unknown day'}`;
    case 'earlier':
      return '; by the price list as it was when the span arrived';
    case 'person':
      return '; set by a person in the application';
    case 'sender':
      return '; reckoned by the sender: the price list has no price for this call';
    case undefined:
      return '';
  }
}
