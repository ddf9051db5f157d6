import type { SaidHit } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { sessionHitsQuery } from '../../api/activity.ts';
import { formatCount } from '../../lib/format.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { Button } from '../../ui/button.tsx';
import { SaidSnippet } from '../explore/said.ts';

const DELAY_MS = 300;
const FEWEST_LETTERS = 2;
const NO_HITS: readonly SaidHit[] = [];

export interface SessionFinding {
  readonly hits: readonly SaidHit[];
  readonly truncated: boolean;
  readonly pending: boolean;
  readonly error: unknown;
}

/** Messages of the session that hold what is sought. */
export function useSessionFind(session: string, find: string | undefined): SessionFinding {
  const q = find?.trim() ?? '';
  const query = useQuery({ ...sessionHitsQuery(session, q), enabled: q.length >= FEWEST_LETTERS });
  return {
    hits: query.data?.hits ?? NO_HITS,
    truncated: query.data?.truncated === true,
    pending: query.isFetching,
    error: query.error,
  };
}

/** The search within a session: its field, how many messages hold it, and the one that is shown. */
export function SessionFind(props: {
  find: string | undefined;
  onFind: (text: string | undefined) => void;
  finding: SessionFinding;
  /** Which of the hits is shown; -1: none yet. */
  at: number;
  onHit: (index: number) => void;
}) {
  const { find = '', onFind, finding, at } = props;
  const { hits } = finding;
  const [text, setText] = useState(find);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (text.trim() === find) return undefined;
    const timer = setTimeout(() => onFind(text.trim() === '' ? undefined : text.trim()), DELAY_MS);
    return () => clearTimeout(timer);
  }, [text, find, onFind]);
  useHotkey('/', () => field.current?.focus(), { group: 'Session', label: 'Search the session' });
  const go = (by: 1 | -1) => {
    if (hits.length > 0) props.onHit((at + by + hits.length) % hits.length);
  };
  const hit = hits[at];
  return (
    <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-3 py-1 text-sm">
      <input
        ref={field}
        type="search"
        aria-label="Search the session"
        placeholder="Search the session: words, user_said:, tool_result:"
        title="Words of messages, or user_said:, assistant_said:, system_prompt:, tool_result: (/)"
        value={text}
        maxLength={400}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            if (text.trim() === find) go(event.shiftKey ? -1 : 1);
            else onFind(text.trim() === '' ? undefined : text.trim());
          }
          if (event.key === 'Escape') {
            setText('');
            event.currentTarget.blur();
          }
          event.stopPropagation();
        }}
        className="h-7 w-80 max-w-full rounded-md border border-line bg-raised px-2"
      />
      {find !== '' && (
        <>
          <p role="status" className="text-muted tabular-nums">
            {said(finding, at)}
          </p>
          <Button
            look="plain"
            className="px-1"
            aria-label="Previous message"
            disabled={hits.length === 0}
            onClick={() => go(-1)}
          >
            <ArrowUp size={16} aria-hidden />
          </Button>
          <Button
            look="plain"
            className="px-1"
            aria-label="Next message"
            disabled={hits.length === 0}
            onClick={() => go(1)}
          >
            <ArrowDown size={16} aria-hidden />
          </Button>
          {hit !== undefined && (
            <p className="min-w-0 grow truncate">
              <Suspense>
                <SaidSnippet hit={hit} />
              </Suspense>
            </p>
          )}
        </>
      )}
    </div>
  );
}

function said({ hits, truncated, pending, error }: SessionFinding, at: number): string {
  if (error !== null) return error instanceof Error ? error.message : 'The session could not be searched.';
  if (hits.length === 0) return pending ? 'Searching' : 'No message says it';
  const all = `${formatCount(hits.length)}${truncated ? '+' : ''}`;
  if (at === -1) return hits.length === 1 ? '1 message' : `${all} messages`;
  return `${at + 1} of ${all}`;
}
