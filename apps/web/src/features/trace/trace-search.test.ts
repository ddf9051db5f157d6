import { describe, expect, it } from 'vitest';
import { findText, focusText, readFocus, readMessagePlace, validateTraceSearch } from './trace-search.ts';

it('keeps the place of a message in the URL, and nothing else under its name', () => {
  expect(validateTraceSearch({ message: 'input.12' })).toEqual({ message: 'input.12' });
  expect(readMessagePlace('output.0')).toEqual({ side: 'output', index: 0 });
  for (const text of ['input', 'input.', 'input.-1', 'other.1', 'input.1.2', undefined])
    expect(readMessagePlace(text)).toBeUndefined();
  expect(validateTraceSearch({ message: 'input' })).toEqual({});
});

describe('focus in the URL', () => {
  it('comes back as it was written, to the microsecond', () => {
    expect(readFocus(focusText({ fromMs: 0.0004, toMs: 1_234.5678 }))).toEqual({
      fromMs: 0,
      toMs: 1_234.568,
    });
    expect(focusText({ fromMs: 100, toMs: 250 })).toBe('100-250');
  });

  it('drops what is no stretch of time', () => {
    for (const text of ['', '5', '9-3', '3-3', '-1-4', '1e3-2e3', 'a-b', '1-2-3', undefined])
      expect(readFocus(text)).toBeUndefined();
    expect(validateTraceSearch({ focus: '9-3', span: 'x' })).toEqual({});
    expect(validateTraceSearch({ focus: '1.50-3' })).toEqual({ focus: '1.5-3' });
  });
});

it('cuts a search to what the address keeps, between characters', () => {
  const cut = findText(`${'x'.repeat(199)}\u{1F426} sings`);
  expect(cut).toBe('x'.repeat(199));
  expect(validateTraceSearch({ find: cut })).toEqual({ find: cut });
  expect(findText('heron')).toBe('heron');
});
