import { choiceParam, textParam } from '../../lib/search-params.ts';

export const VIEWS = ['overview', 'versions', 'graph'] as const;
export type AgentView = (typeof VIEWS)[number];

/** What the page of an agent has in its URL. */
export interface AgentSearch {
  view?: AgentView;
  /** The versions that are compared: the older and the newer. */
  a?: string;
  b?: string;
  /** Chosen node or edge of the graph. */
  pick?: string;
}

export function validateAgentSearch(raw: Record<string, unknown>): AgentSearch {
  const view = choiceParam(raw, 'view', VIEWS);
  const version = (name: string) => {
    const text = textParam(raw, name, 16);
    return text !== undefined && /^[0-9a-f]{16}$/.test(text) ? text : undefined;
  };
  const [a, b, pick] = [version('a'), version('b'), textParam(raw, 'pick', 6_000)];
  return {
    ...(view === undefined || view === 'overview' ? {} : { view }),
    ...(a === undefined ? {} : { a }),
    ...(b === undefined ? {} : { b }),
    ...(pick === undefined ? {} : { pick }),
  };
}
