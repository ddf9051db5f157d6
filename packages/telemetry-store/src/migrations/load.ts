import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly template: string;
  /** SHA-256 of the template, hexadecimal. */
  readonly checksum: string;
}

const FILE_NAME = /^(\d{4})_(\w+)\.sql$/;
const SQL_DIR = new URL('./sql/', import.meta.url);

/** The program's migrations in order. The first is the baseline and need not be number 1. Throws when their numbers have gaps. */
export function loadMigrations(dir: URL = SQL_DIR): Migration[] {
  const migrations = readdirSync(dir)
    .sort()
    .map((file) => {
      const match = FILE_NAME.exec(file);
      if (match === null) throw new Error(`${file} is not a migration: call it 0001_name.sql`);
      const template = readFileSync(new URL(file, dir), 'utf8');
      return {
        version: Number(match[1]),
        name: match[2] ?? '',
        template,
        checksum: createHash('sha256').update(template).digest('hex'),
      };
    });
  const first = migrations[0]?.version ?? 1;
  migrations.forEach((migration, index) => {
    if (migration.version !== first + index) throw new Error(`Migration ${first + index} is missing`);
  });
  return migrations;
}
