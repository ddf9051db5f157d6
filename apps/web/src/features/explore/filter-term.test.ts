import { parseFilter } from '@candela/contract/filter';
import { expect, it } from 'vitest';
import { beginTerm, valueTerm } from './filter-term.ts';

it('of a long value its beginning is a term of its own, whatever is in it', () => {
  const begin = 'SELECT "a*" \\ or b';
  for (const field of ['attributes.db.query', 'attributes.odd key', 'status_message']) {
    expect(parseFilter(beginTerm(field, begin), 'spans')).toMatchObject({
      ok: true,
      filter: { field, op: 'starts_with', value: begin },
    });
    expect(beginTerm(field, begin)).toBe(`${valueTerm(field, begin)}*`);
  }
});
