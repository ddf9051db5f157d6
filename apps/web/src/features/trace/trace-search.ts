import { choiceParam, textParam } from '../../lib/search-params.ts';

export const LEFT_VIEWS = ['tree', 'transcript', 'timeline'] as const;
export type LeftView = (typeof LEFT_VIEWS)[number];
const SPAN_TABS = ['messages', 'attributes', 'events', 'links', 'raw'] as const;
export type SpanTab = (typeof SPAN_TABS)[number];

/** What the trace page has in its URL. */
export interface TraceSearch {
  view?: LeftView;
  span?: string;
  tab?: SpanTab;
  find?: string;
}

export function validateTraceSearch(raw: Record<string, unknown>): TraceSearch {
  const view = choiceParam(raw, 'view', LEFT_VIEWS);
  const span = textParam(raw, 'span', 16);
  const tab = choiceParam(raw, 'tab', SPAN_TABS);
  const find = textParam(raw, 'find', 200);
  return {
    ...(view === undefined || view === 'tree' ? {} : { view }),
    ...(span === undefined || !/^[0-9a-f]{16}$/i.test(span) ? {} : { span: span.toLowerCase() }),
    ...(tab === undefined ? {} : { tab }),
    ...(find === undefined ? {} : { find }),
  };
}
