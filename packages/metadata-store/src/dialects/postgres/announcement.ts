import type { StorageScope } from '../../repositories/storage-scope.ts';
import type { WrittenTo } from '../dialect.ts';

/** Places beyond which an announcement names none: PostgreSQL takes 8,000 bytes. */
const MAX_PLACES = 10;

/**
 * What follows version and instance in an announcement: `<table>,<table>`, and after a blank `<project>/<configuration>,…`
 * where all that was written belongs to a few places. A replica of an older version reads the tables alone.
 */
export function announcement({ tables, places }: WrittenTo): string {
  if (places === 'everywhere' || places.length > MAX_PLACES) return tables.join(',');
  const texts = places.map(({ projectId, databaseConfigId }) =>
    [projectId, databaseConfigId].map(encodeURIComponent).join('/'),
  );
  return `${tables.join(',')} ${texts.join(',')}`;
}

/** `<version> <instance> <what was written>`. */
export function announcementOf(payload: string | undefined): {
  readonly version: number;
  readonly by: string;
  readonly written: WrittenTo;
} {
  const [version = '', by = '', tables = '', places = ''] = (payload ?? '').split(' ');
  return { version: Number(version), by, written: { tables: tables.split(','), places: placesOf(places) } };
}

/** What names no places, or none that can be read, was written anywhere. */
function placesOf(texts: string): WrittenTo['places'] {
  if (texts === '') return 'everywhere';
  const places: StorageScope[] = [];
  for (const text of texts.split(',')) {
    const [projectId, databaseConfigId] = text.split('/').map(decoded);
    if (projectId === undefined || databaseConfigId === undefined) return 'everywhere';
    places.push({ projectId, databaseConfigId });
  }
  return places;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
