import type { BodyOf, ROUTES } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { SqlQueries } from '@candela/telemetry-store';
import { createBoards } from '../boards/service.ts';

/** Puts a statement as a widget on a board, or on a new one. @throws sql_refused, not_found, refused */
export async function saveSqlWidget(
  { metadata, sql }: { readonly metadata: MetadataStore; readonly sql: Pick<SqlQueries, 'check'> },
  context: RequestContext,
  { title, type, query, boardId, x, y, series }: BodyOf<typeof ROUTES.saveChatWidget>,
  signal: AbortSignal,
): Promise<{ boardId: string; widgetId: string }> {
  await sql.check(context, query, signal);
  const boards = createBoards(metadata);
  const widgetId = `sql-${crypto.randomUUID().slice(0, 8)}`;
  const widget = {
    id: widgetId,
    title,
    description: '',
    query: { kind: 'sql' as const, query },
    visual: {
      type,
      ...(x === undefined ? {} : { x }),
      ...(y === undefined || y.length === 0 ? {} : { y }),
      ...(series === undefined ? {} : { series }),
    },
  };
  const size = type === 'stat' ? { w: 4, h: 4 } : { w: 6, h: 8 };
  if (boardId === undefined) {
    const made = await boards.create(
      context,
      {
        title,
        description: '',
        tags: [],
        folderId: null,
        visibility: 'project',
        refreshSeconds: 0,
        variables: [],
        widgets: [{ ...widget, place: { x: 0, y: 0, ...size } }],
      },
      undefined,
    );
    return { boardId: made.id, widgetId };
  }
  const {
    title: name,
    description,
    tags,
    folderId,
    visibility,
    refreshSeconds,
    variables,
    widgets,
    revision,
  } = await boards.get(context, boardId);
  const place = { x: 0, y: Math.max(0, ...widgets.map(({ place: { y: top, h } }) => top + h)), ...size };
  await boards.replace(
    context,
    boardId,
    {
      title: name,
      description,
      tags,
      folderId,
      visibility,
      // Of the board itself, which a schema let in.
      refreshSeconds: refreshSeconds as 0,
      variables,
      widgets: [...widgets, { ...widget, place }],
      revision,
    },
    undefined,
  );
  return { boardId, widgetId };
}
