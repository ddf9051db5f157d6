import { useState } from 'react';
import { cx } from '../lib/cx.ts';
import { numberText, parseExactly } from '../lib/exact-json.ts';
import { transferFocus } from '../lib/transfer-focus.ts';

const MOST_CHILDREN = 100;
const MOST_TEXT = 2_000;

/** The JSON value that a text holds, if it is an object or a list; undefined for anything else. */
export function structuredJson(text: string): object | undefined {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed) || trimmed.length > 4_000_000) return undefined;
  try {
    const value = parseExactly(trimmed);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** JSON as a foldable tree; long lists and texts show their beginning and say how much follows. */
export function JsonView({ value, open = 2 }: { value: unknown; open?: number }) {
  return (
    <div className="overflow-x-auto font-mono text-sm leading-5">
      <Node value={value} open={open} />
    </div>
  );
}

function Node({ name, value, open }: { name?: string; value: unknown; open: number }) {
  const exact = numberText(value);
  if (typeof value !== 'object' || value === null || exact !== undefined)
    return (
      <div className="pl-4 -indent-0">
        {name !== undefined && <Key name={name} />}
        <Scalar value={value} exact={exact} />
      </div>
    );
  return <Branch {...(name === undefined ? {} : { name })} value={value} open={open} />;
}

function Branch({ name, value, open }: { name?: string; value: object; open: number }) {
  const isList = Array.isArray(value);
  const entries = isList
    ? value.map((item: unknown, index) => [String(index), item] as const)
    : Object.entries(value);
  const [isOpen, setOpen] = useState(open > 0 && entries.length <= 60);
  const [shown, setShown] = useState(MOST_CHILDREN);
  const [left, right] = isList ? ['[', ']'] : ['{', '}'];
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="rounded text-left hover:bg-hover"
      >
        <span aria-hidden className={cx('inline-block w-4 text-center text-faint')}>
          {isOpen ? '▾' : '▸'}
        </span>
        {name !== undefined && <Key name={name} />}
        <span className="text-muted">
          {left}
          {!isOpen && `${entries.length === 0 ? '' : ` ${entries.length} `}${right}`}
        </span>
      </button>
      {isOpen && (
        <div className="ml-2 border-l border-line pl-1.5">
          {entries.slice(0, shown).map(([key, child]) => (
            <Node key={key} {...(isList ? {} : { name: key })} value={child} open={open - 1} />
          ))}
          {entries.length > shown && (
            <button
              type="button"
              className="pl-4 text-accent"
              onClick={(event) => {
                transferFocus(event.currentTarget);
                setShown(shown + MOST_CHILDREN);
              }}
            >
              {entries.length - shown} more
            </button>
          )}
        </div>
      )}
      {isOpen && <span className="pl-4 text-muted">{right}</span>}
    </div>
  );
}

const Key = ({ name }: { name: string }) => (
  <span className="text-kind-retrieval">
    {name}
    <span className="text-muted">: </span>
  </span>
);

function Scalar({ value, exact }: { value: unknown; exact: string | undefined }) {
  if (typeof value === 'string')
    return (
      <span className="break-words whitespace-pre-wrap text-ok">
        <LongText text={value} most={MOST_TEXT} />
      </span>
    );
  return <span className="text-kind-agent">{exact ?? String(value)}</span>;
}

/** Text with its end held back while it is very long. */
export function LongText({ text, most }: { text: string; most: number }) {
  const [whole, setWhole] = useState(false);
  if (whole || text.length <= most * 1.2) return text;
  return (
    <>
      {text.slice(0, most)}
      {'… '}
      <button
        type="button"
        className="font-sans text-sm text-accent"
        onClick={(event) => {
          transferFocus(event.currentTarget);
          setWhole(true);
        }}
      >
        show all {text.length.toLocaleString('en-US')} characters
      </button>
    </>
  );
}
