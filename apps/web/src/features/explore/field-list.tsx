import type { RecordKind } from '@candela/contract/filter';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { fieldsQuery } from '../../api/explore.ts';
import type { Scope } from '../../api/telemetry.ts';
import { exact, nounOf } from '../../lib/format.ts';
import { inPlace, transferFocus } from '../../lib/transfer-focus.ts';
import { useDebounced } from '../../lib/use-debounced.ts';

/** Fields that are offered at once; more words find the others. */
const OFFERED = 50;
/** Typing rests for this long before the server is asked. */
const DEBOUNCE_MS = 150;

/** Finds fields of the rows: arrows walk through what is offered, Enter takes the first or the one walked to. */
export function FieldList(props: {
  label: string;
  /** It has the focus when it comes. */
  autoFocus?: boolean;
  signal: RecordKind;
  scope: Scope;
  /** Why no more can be taken. */
  full: string | undefined;
  /** Fields besides the keys of attributes. */
  named?: (words: string) => readonly string[];
  /** Whether a key is offered. */
  isOffered: (field: string) => boolean;
  onAdd: (field: string) => void;
}) {
  const { signal } = props;
  const listId = useId();
  const list = useRef<HTMLUListElement>(null);
  const [text, setText] = useState('');
  const words = text.trim();
  const rested = useDebounced(words, DEBOUNCE_MS);
  const asked = signal === 'logs' ? 'logs' : 'spans';
  const found = useQuery({
    ...fieldsQuery(props.scope, asked, rested),
    placeholderData: keepPreviousData,
    enabled: signal === asked,
  });
  const wanted = words.toLowerCase();
  // What came for fewer words is offered meanwhile, but for what does not fit: Enter takes what is seen.
  const keys = (found.data ?? [])
    .filter(({ field, source }) => source !== 'named' && field.toLowerCase().includes(wanted))
    .filter(({ field }) => props.isOffered(field))
    .map(({ field, rows }) => ({
      field,
      title: `${field}: in ${exact(rows)} of the newest ${nounOf(2, asked)}`,
    }));
  const named = (props.named?.(wanted) ?? []).map((field) => ({ field, title: field }));
  // Whoever types looks for a name; whoever does not, for what these rows have.
  const isComing = signal === asked && found.isPending;
  const offered = (words === '' ? (isComing ? [] : [...keys, ...named]) : [...named, ...keys]).slice(
    0,
    OFFERED,
  );
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const first = offered[0];
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('input, li button')];
    const at = items.indexOf(document.activeElement as HTMLElement);
    if (event.key === 'ArrowDown') items[at + 1]?.focus();
    else if (event.key === 'ArrowUp') items[at - 1]?.focus();
    else if (event.key === 'Enter' && at === 0 && first !== undefined) props.onAdd(first.field);
    else return;
    event.preventDefault();
  };
  return (
    <div onKeyDown={onKeyDown}>
      <input
        type="search"
        autoFocus={props.autoFocus}
        aria-label={props.label}
        aria-controls={listId}
        placeholder={props.label}
        spellCheck={false}
        value={text}
        disabled={props.full !== undefined}
        onChange={(event) => setText(event.target.value)}
        className="my-1 h-7 w-full rounded-md border border-line bg-bg px-2"
      />
      {props.full !== undefined ? (
        <p className="px-2 py-1 text-sm text-muted">{props.full}</p>
      ) : (
        <>
          {found.isError && (
            <p role="alert" className="px-2 py-1 text-sm text-danger">
              {found.error.message}
            </p>
          )}
          {isComing && (
            <div role="status" aria-label="Loading fields" className="flex flex-col gap-2 p-2">
              <div className="skeleton h-4 w-4/5" />
              <div className="skeleton h-4 w-3/5" />
            </div>
          )}
          <ul ref={list} id={listId} aria-label="Fields" className="max-h-52 overflow-auto">
            {offered.map(({ field, title }, at) => (
              <li key={field}>
                <button
                  type="button"
                  title={title}
                  onClick={(event) => {
                    const panel = event.currentTarget.closest<HTMLElement>('[popover]');
                    transferFocus(
                      event.currentTarget,
                      () => inPlace(list.current?.querySelectorAll<HTMLElement>('button'), at) ?? panel,
                    );
                    props.onAdd(field);
                  }}
                  className="flex min-h-7 w-full items-center rounded px-2 py-0.5 text-left font-mono text-sm wrap-anywhere hover:bg-hover"
                >
                  <span className="min-w-0">{field}</span>
                </button>
              </li>
            ))}
            {offered.length === 0 && words === rested && !found.isFetching && !found.isError && (
              <li className="px-2 py-1 text-sm text-muted">Nothing has this in its name.</li>
            )}
          </ul>
        </>
      )}
    </div>
  );
}
