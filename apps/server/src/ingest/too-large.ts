import { CandelaError } from '@candela/kernel';

/** The refusal of an OTLP request, which a sender makes smaller by itself once it is told how: by its batches. */
export const tooLarge = (maxBytes: number): CandelaError =>
  new CandelaError(
    'too_large',
    `The body is larger than ${maxBytes} bytes after decompression. Send smaller batches.`,
  );
