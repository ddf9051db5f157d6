import { findSecrets } from '@candela/redaction';
import { z } from 'zod';
import { defineKind, yes } from './kind.ts';

const PERSONAL: readonly (readonly [string, RegExp])[] = [
  ['e-mail address', /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}/],
  ['credit card', /\b(?:\d[ -]?){13,19}\b/],
  ['social security number', /\b\d{3}-\d{2}-\d{4}\b/],
  ['IBAN', /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b/],
  ['phone number', /(?<![\d.])\+\d{1,3}[ -]?(?:\d[ -]?){7,12}(?!\d)/],
];

function luhn(text: string): boolean {
  const digits = [...text.replaceAll(/\D/g, '')].map(Number).toReversed();
  const sum = digits.reduce((total, digit, at) => {
    const value = at % 2 === 1 ? digit * 2 : digit;
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return digits.length >= 13 && sum % 10 === 0;
}

/** The answer holds no credentials and no personal data. */
export const leaks = defineKind({
  id: 'secrets',
  label: 'No secrets, no personal data',
  description:
    'The answer holds no credential and, unless turned off, no e-mail address, card, IBAN or phone number.',
  settings: z.strictObject({ personalData: z.boolean().default(true) }),
  prepare:
    ({ personalData }) =>
    ({ output }) => {
      const text = output.slice(0, 100_000);
      const found = new Set(findSecrets(text, 2).map(({ kind }) => kind));
      for (const [kind, form] of personalData ? PERSONAL : []) {
        const match = form.exec(text);
        if (match !== null && (kind !== 'credit card' || luhn(match[0]))) found.add(kind);
      }
      // The kinds are told, the values are not.
      return yes(found.size === 0, found.size === 0 ? 'Nothing found.' : `Found: ${[...found].join(', ')}.`);
    },
});
