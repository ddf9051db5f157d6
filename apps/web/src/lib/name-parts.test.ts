import { expect, it } from 'vitest';
import { nameParts } from './name-parts.ts';

it('keeps the end of a long name, and short names whole', () => {
  expect(nameParts('gpt-4.1-mini-acme-support-v12')).toEqual(['gpt-4.1-mini-acme-s', 'upport-v12']);
  expect(nameParts('support-agent')).toEqual(['support-', 'agent']);
  expect(nameParts('gpt-4o-mini')).toEqual(['gpt-4o-mini', '']);
  expect(nameParts('')).toEqual(['', '']);
});

it('keeps the last word of a path of names, where that leaves room for how it begins', () => {
  expect(nameParts('com.acme.billing.invoices.InvoiceTimeoutException')).toEqual([
    'com.acme.billing.invoices.',
    'InvoiceTimeoutException',
  ]);
  expect(nameParts('accounts/fireworks/models/llama-v3p1-405b-instruct')[1]).toBe('llama-v3p1-405b-instruct');
  expect(nameParts('GET /v1/organisations/{id}/members')[1]).toBe('d}/members');
  expect(nameParts(`a.b.c.d.e.f.${'x'.repeat(60)}`)[1]).toBe('x'.repeat(10));
});

it('two names that differ at their end differ in what stays', () => {
  const [one, other] = ['retrieval-index-builder-eu-west-1', 'retrieval-index-builder-eu-west-2'];
  expect(nameParts(one)[1]).not.toBe(nameParts(other)[1]);
});

it.each([
  'x'.repeat(40),
  'GET /v1/organisations/{id}/members  of   the default team',
  'ein Name mit vielen Umlauten üöäÜÖÄ',
  `evaluation of ${'👩‍👩‍👧‍👦'.repeat(12)}`,
  `a${'\u0301'.repeat(300)} name with a tower of accents`,
  `${' '.repeat(40)}x`,
  `line one\n\n\n\n\n\n\n\n\n\n\nline two`,
  '\ud83d'.repeat(30),
])('both parts together are the name: %j', (name) => {
  const [beginning, end] = nameParts(name);
  expect(beginning + end).toBe(name);
  if (end === '') return;
  expect(beginning).not.toBe('');
  expect(`${beginning.at(-1)}${end[0]}`).not.toMatch(/\s/);
});

it('takes no character apart', () => {
  const family = '👩‍👩‍👧‍👦';
  const whole = (text: string) => text.replaceAll(family, '').search(/[^a-z ]/) === -1;
  for (const between of [' ', '  and ', '-and-', ''])
    for (let before = 0; before < 8; before += 1) {
      const name = `the tests of the family ${family.repeat(before)}${between}${family.repeat(5)}`;
      const parts = nameParts(name.replaceAll('-', 'x'));
      expect(parts.join('')).toBe(name.replaceAll('-', 'x'));
      expect(parts.every(whole), JSON.stringify(parts)).toBe(true);
    }
});

it.each([
  'نموذج-الدعم-الفني-للعملاء-١٢',
  'support \u202etxt.exe of the whole company',
  'מודל-התמיכה-בלקוחות-גרסה-12',
])('text that runs from right to left stays whole: %s', (name) => {
  expect(nameParts(name)).toEqual([name, '']);
});

it.each([
  'wilhelmina.wonderland@customers.acme.example',
  'ip-10-0-3-17.eu-west-1.compute.internal',
  'web-12.frontend.production.acme.example',
  `${'x'.repeat(3_000)}`,
])('what differs at its beginning is cut at its end: %s', (name) => {
  expect(nameParts(name)).toEqual([name, '']);
});

it.each([
  'gen_ai.client.operation.duration',
  'system.network.connections.count',
  'llm-gateway-7d9f8c6b5-x2x9k',
  'acme/support@2026-11-20-canary',
  'POST /v1/users/ann@acme.example/seats',
])('names of another kind keep their end: %s', (name) => {
  expect(nameParts(name)[1]).not.toBe('');
});
