import { addDatasetItem } from './add-dataset-item.ts';
import { addScore } from './add-score.ts';
import { aggregate } from './aggregate.ts';
import { analyze } from './analyze.ts';
import { create } from './create.ts';
import { createAlert } from './create-alert.ts';
import { createBoard } from './create-board.ts';
import { describe } from './describe.ts';
import { getPrompt } from './get-prompt.ts';
import { getSpan } from './get-span.ts';
import { getTrace } from './get-trace.ts';
import { listExceptions } from './list-exceptions.ts';
import { list } from './list.ts';
import { makeBoard } from './make-board.ts';
import { queryMetric } from './query-metric.ts';
import { runSql } from './run-sql.ts';
import { remove } from './remove.ts';
import { saveWidget } from './save-widget.ts';
import { search } from './search.ts';
import type { Tool } from './tool.ts';
import { update } from './update.ts';
import { writePromptDraft } from './write-prompt-draft.ts';
import { WRITE_PROMPT_VERSION, writePromptVersion } from './write-prompt-version.ts';

export { WRITE_PROMPT_VERSION };

/** Every tool; the registry. */
export const TOOLS: readonly Tool[] = [
  describe,
  search,
  getTrace,
  getSpan,
  aggregate,
  queryMetric,
  runSql,
  listExceptions,
  list,
  getPrompt,
  create,
  update,
  remove,
  saveWidget,
  makeBoard,
  createBoard,
  writePromptDraft,
  createAlert,
  addScore,
  addDatasetItem,
  writePromptVersion,
  analyze,
];
