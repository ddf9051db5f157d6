import { boardFileSchema } from '@candela/contract';
import { fail } from '@candela/kernel';
import type { Document, Imported } from './index.ts';

const VERSION = 1;

/** Our own format. @throws refused with what is wrong and where */
export function fromCandela(document: Document): Imported {
  if (document['$candela'] !== 'board')
    throw fail('refused', {
      detail: `This file is a "${String(document['$candela']).slice(0, 40)}", no board.`,
    });
  if (document['version'] !== VERSION)
    throw fail('refused', {
      detail: `The file is of version ${String(document['version']).slice(0, 20)}; this installation reads version ${VERSION}.`,
    });
  const read = boardFileSchema.safeParse(document);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw fail('refused', { detail: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'malformed'}` });
  }
  const { $candela: _format, version: _version, ...board } = read.data;
  return {
    board: { ...board, folderId: null, visibility: 'project' },
    report: {
      format: 'candela',
      widgets: board.widgets.map(({ title }) => ({ title, outcome: 'taken', reason: null })),
    },
  };
}
