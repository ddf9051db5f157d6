import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BackupError, type Manifest, newId, type Pack, type Repository } from '@candela/backup';
import { silentLogger } from '@candela/kernel';
import {
  type ReadProject,
  readProject,
  type WrittenTable,
  writeProject,
} from '@candela/metadata-store/project';
import {
  fileOfDay,
  openTelemetryStore,
  type ProjectDay,
  projectDays,
  readProjectDay,
  type TelemetryStore,
  writeProjectDay,
} from '@candela/telemetry-store';

/** An installation that is stopped: its data directory, and where its settings are if not there. */
export interface Installation {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly projectId: string;
  /** As the platform is told: an index that is not wanted would be dropped. */
  readonly textIndex: boolean;
}

interface Contents extends ReadProject {
  readonly projectId: string;
  readonly days: readonly ProjectDay[];
}

const CONTENTS = 'project.json';
const folderOf = (table: string): string => `telemetry/${table}`;

/** Writes all of a project into a repository. @throws BackupError, and sentences of the stores */
export async function exportProject(
  repository: Repository,
  { dataDir, databaseUrl, projectId, textIndex }: Installation,
  version: string,
): Promise<Manifest> {
  const read = await readProject({ dataDir, databaseUrl, projectId });
  await repository.look();
  return withStore(dataDir, textIndex, (store) =>
    inScratch(async (scratch) => {
      const days = await projectDays(store, projectId);
      const contents: Contents = { projectId, ...read, days };
      await writeFile(join(scratch, CONTENTS), JSON.stringify(contents));
      const packs: Pack[] = [];
      let newBytes = 0;
      const add = async (dir: string, name: string): Promise<void> => {
        const stored = await repository.store(scratch, dir, [name]);
        packs.push(stored.pack);
        newBytes += stored.newBytes;
      };
      await add('', CONTENTS);
      for (const day of days) {
        const folder = join(scratch, folderOf(day.table));
        await mkdir(folder, { recursive: true });
        await writeProjectDay(store, projectId, day, folder);
        await add(folderOf(day.table), fileOfDay(day));
        // One day at a time: the project need not fit beside itself.
        await rm(join(folder, fileOfDay(day)));
      }
      const now = Date.now();
      const manifest: Manifest = {
        format: 1,
        kind: 'project',
        id: newId(now),
        createdAt: new Date(now).toISOString(),
        version,
        telemetry: true,
        vaultKey: false,
        packs,
        counts: recordsOf(days).map(({ table, day, rows, hash }) => ({
          table: `${table} ${day}`,
          project: projectId,
          rows,
          hash,
        })),
        bytes: packs.reduce((sum, { files }) => files.reduce((all, [, size]) => all + size, sum), 0),
        newBytes,
      };
      await repository.keep(manifest);
      return manifest;
    }),
  );
}

export interface Imported {
  readonly projectId: string;
  readonly tables: readonly WrittenTable[];
  /** Days of tables that were read, and those that were there already. */
  readonly read: number;
  readonly known: number;
  readonly rows: number;
  /** A sentence for each day that is not as it was exported. */
  readonly differences: readonly string[];
}

/** Reads an export into an installation, and compares. @throws BackupError, and sentences of the stores */
export async function importProject(
  repository: Repository,
  id: string,
  {
    dataDir,
    databaseUrl,
    textIndex,
    as,
  }: Omit<Installation, 'projectId'> & { readonly as: string | undefined },
): Promise<Imported> {
  const manifest = await repository.manifest(id);
  if (manifest.kind !== 'project') {
    throw new BackupError(`${id} is a backup of an installation: candela backup restore takes it.`);
  }
  return inScratch(async (scratch) => {
    const packOf = (dir: string, name: string): Pack => {
      const pack = manifest.packs.find((one) => one.dir === dir && one.files[0]?.[0] === name);
      if (pack === undefined) throw new BackupError(`The export ${id} lacks ${join(dir, name)}.`);
      return pack;
    };
    await repository.restore(packOf('', CONTENTS), scratch);
    const contents = JSON.parse(await readFile(join(scratch, CONTENTS), 'utf8')) as Contents;
    const projectId = as ?? contents.projectId;
    const tables = await writeProject({ dataDir, databaseUrl, projectId }, contents);
    return withStore(dataDir, textIndex, async (store) => {
      const there = new Map((await projectDays(store, projectId)).map((day) => [keyOf(day), day]));
      const isThere = (day: ProjectDay): boolean => {
        const found = there.get(keyOf(day));
        return found?.rows === day.rows && found.hash === day.hash;
      };
      const missing = recordsOf(contents.days).filter((day) => !isThere(day));
      // What was summed up of records comes before them: where all of these are there, so is that.
      const wanted =
        missing.length === 0 ? [] : [...contents.days.filter(({ hash }) => hash === ''), ...missing];
      for (const day of wanted) {
        const dir = folderOf(day.table);
        await repository.restore(packOf(dir, fileOfDay(day)), scratch);
        await readProjectDay(store, projectId, day, { folder: join(scratch, dir), token: id });
        await rm(join(scratch, dir, fileOfDay(day)));
      }
      const now = new Map((await projectDays(store, projectId)).map((day) => [keyOf(day), day]));
      const records = recordsOf(contents.days);
      return {
        projectId,
        tables,
        read: missing.length,
        known: records.length - missing.length,
        rows: records.reduce((sum, { rows }) => sum + rows, 0),
        differences: records.flatMap((day) => {
          const is = now.get(keyOf(day));
          if (is?.rows === day.rows && is.hash === day.hash) return [];
          return [`${day.table} of ${day.day}: ${is?.rows ?? 0} rows, ${day.rows} were exported`];
        }),
      };
    });
  });
}

const keyOf = ({ table, day }: ProjectDay): string => `${table} ${day}`;

/** Sums have no hash: the engine joins their rows when it likes. */
const recordsOf = (days: readonly ProjectDay[]): ProjectDay[] => days.filter(({ hash }) => hash !== '');

async function inScratch<T>(work: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), 'candela-project-'));
  try {
    return await work(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The store of a data directory, while nobody else has it. Retention takes nothing away meanwhile. */
async function withStore<T>(
  dataDir: string,
  textIndex: boolean,
  work: (store: TelemetryStore) => Promise<T>,
): Promise<T> {
  const store = await openTelemetryStore({
    kind: 'embedded',
    dataDir: join(dataDir, 'telemetry'),
    logger: silentLogger,
    textIndex,
  });
  try {
    await store.command('SYSTEM STOP TTL MERGES').catch(() => undefined);
    return await work(store);
  } finally {
    await store.close();
  }
}
