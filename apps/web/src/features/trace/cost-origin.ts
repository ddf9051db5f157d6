import type { SpanDetail } from '@candela/contract';
import { exact } from '../../lib/format.ts';

type Origin = NonNullable<SpanDetail['costOrigin']>;

const CLASS_NAMES: Readonly<Record<Origin['parts'][number]['of'], string>> = {
  input: 'input',
  inputAudio: 'audio input',
  inputImage: 'image input',
  cacheRead: 'cache read',
  cacheWrite: 'cache write',
  cacheWrite1h: 'cache write, one hour',
  output: 'output',
  outputAudio: 'audio output',
  outputImage: 'image output',
  reasoning: 'reasoning',
  webSearch: 'web searches',
};

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

/** A line for each class of tokens that the cost is made of: `1,200 output at 10 USD per million: 0.012 USD`. */
export const partLines = (origin: SpanDetail['costOrigin'] | undefined): readonly string[] =>
  (origin?.parts ?? []).map(
    ({ of, amount, rate, costUsd }) =>
      `${exact(amount)} ${CLASS_NAMES[of]} at ${exact(rate)} USD per ${of === 'webSearch' ? 'thousand' : 'million'}: ${exact(costUsd, ' USD')}`,
  );
