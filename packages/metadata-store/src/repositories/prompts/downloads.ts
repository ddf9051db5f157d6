import type { Access } from '../access.ts';
import type { Prompts } from './types.ts';

type Downloads = Pick<Prompts, 'countDownloads' | 'pruneDownloads'>;

/** Rows of one statement: far below the parameters that one may have. */
const BATCH_ROWS = 200;
/** A process that wrote nothing for so long is gone. */
const WRITER_KEPT_MS = 7 * 86_400_000;

/** Written about once a second, and cached by nobody: no cache hears of it. */
export function promptDownloads({ quiet, clock }: Access): Downloads {
  return {
    async countDownloads({ writer, number }, downloads) {
      const now = clock.now();
      const known = await quiet
        .selectFrom('prompt_download_writers')
        .select('batch')
        .where('writer', '=', writer)
        .executeTakeFirst();
      if (known !== undefined && known.batch >= number) return;
      await quiet
        .insertInto('prompt_download_writers')
        .values({ writer, batch: number, updated_at: now })
        .onConflict((on) => on.column('writer').doUpdateSet({ batch: number, updated_at: now }))
        .execute();
      for (let at = 0; at < downloads.length; at += BATCH_ROWS) {
        const lot = downloads.slice(at, at + BATCH_ROWS);
        const ids = [...new Set(lot.map(({ promptId }) => promptId))];
        const found = await quiet.selectFrom('prompts').select('id').where('id', 'in', ids).execute();
        const there = new Set(found.map(({ id }) => id));
        const rows = lot
          .filter(({ promptId }) => there.has(promptId))
          .map(({ promptId, versionId, source, day, count }) => ({
            prompt_id: promptId,
            version_id: versionId,
            source,
            day,
            count,
          }));
        if (rows.length === 0) continue;
        await quiet
          .insertInto('prompt_downloads')
          .values(rows)
          .onConflict((on) =>
            on.columns(['prompt_id', 'day', 'version_id', 'source']).doUpdateSet(({ eb, ref }) => ({
              count: eb('prompt_downloads.count', '+', ref('excluded.count')),
            })),
          )
          .execute();
      }
    },

    async pruneDownloads(before) {
      await quiet.deleteFrom('prompt_downloads').where('day', '<', before).execute();
      await quiet
        .deleteFrom('prompt_download_writers')
        .where('updated_at', '<', clock.now() - WRITER_KEPT_MS)
        .execute();
    },
  };
}
