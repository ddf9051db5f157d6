import { expect, it } from 'vitest';
import { announcement, announcementOf } from './announcement.ts';

const sent = (text: string) => announcementOf(`7 replica ${text}`);
const place = (projectId: string) => ({ projectId, databaseConfigId: 'a b,c/d %é' });

it('says which tables were written and where, whatever ids hold', () => {
  for (const places of ['everywhere', [place('p')], [place('p'), place(' ,/')]] as const) {
    const written = { tables: ['rules', 'rule_links'], places };
    expect(sent(announcement(written))).toEqual({ version: 7, by: 'replica', written });
  }
});

it('names no places when they are many', () => {
  const places = Array.from({ length: 11 }, (_, n) => place(`${n}`));
  const text = announcement({ tables: ['rules'], places });
  expect(sent(text).written).toEqual({ tables: ['rules'], places: 'everywhere' });
});

it('takes what an older version announces, or somebody else, as written anywhere', () => {
  for (const text of ['rules', 'rules ', 'rules p', 'rules p/%', 'rules p/a,%/b']) {
    expect(sent(text).written, text).toEqual({ tables: ['rules'], places: 'everywhere' });
  }
  expect(announcementOf(undefined).written.places).toBe('everywhere');
});
