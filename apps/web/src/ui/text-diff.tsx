import { diffTexts } from '@candela/contract/diff';
import { useMemo, useState } from 'react';
import { cx } from '../lib/cx.ts';
import { type ComparedBlock, folded, type SideLine, sideBySide, type SideRow } from '../lib/side-by-side.ts';

/**
 * Two texts side by side, line by line and word by word; long stretches without a change are folded. On a telephone they
 * stand in one column, what was removed above what was added.
 */
export default function TextDiff(props: {
  label: string;
  before: { readonly name: string; readonly text: string };
  after: { readonly name: string; readonly text: string };
  /** The difference, where it was told; else it is found here. */
  blocks?: readonly ComparedBlock[];
  className?: string;
}) {
  const { before, after, blocks } = props;
  const rows = useMemo(
    () => sideBySide(blocks ?? diffTexts(before.text, after.text)),
    [before.text, after.text, blocks],
  );
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  if (rows.every((row) => row.same))
    return (
      <p className="p-2 text-sm text-muted">
        {rows.length === 0 ? 'Both are empty.' : 'The text is the same in both.'}
      </p>
    );
  return (
    <div
      role="region"
      aria-label={props.label}
      tabIndex={0}
      // What only a screen reader is told would else stand outside of what scrolls and widen the page.
      className={cx('relative overflow-auto rounded-md border border-line bg-surface', props.className)}
    >
      <table className="w-full min-w-2xl table-fixed border-collapse font-mono text-sm max-sm:block max-sm:min-w-0">
        <colgroup className="max-sm:hidden">
          <col className="w-10" />
          <col />
          <col className="w-10" />
          <col />
        </colgroup>
        <thead className="sticky top-0 bg-sunken font-sans max-sm:block">
          <tr className="text-left text-muted max-sm:flex max-sm:flex-wrap">
            <th scope="col" colSpan={2} className="border-b border-line px-2 py-1 font-normal">
              {before.name}
            </th>
            <th scope="col" colSpan={2} className="border-b border-l border-line px-2 py-1 font-normal">
              {after.name}
            </th>
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {folded(rows).map((shown, at) =>
            shown.kind === 'row' ? (
              <Row key={at} row={shown.row} />
            ) : opened.has(shown.at) ? (
              shown.rows.map((row, inside) => <Row key={`${at} ${inside}`} row={row} />)
            ) : (
              <tr key={at} className="max-sm:block">
                <td colSpan={4} className="max-sm:block border-y border-line bg-sunken p-0">
                  <button
                    type="button"
                    className="h-6 w-full px-2 text-left font-sans text-muted hover:bg-hover hover:text-text"
                    onClick={() => setOpened(new Set([...opened, shown.at]))}
                  >
                    {shown.rows.length} lines without a change
                  </button>
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row }: { row: SideRow }) {
  return (
    <tr className="align-top max-sm:grid max-sm:grid-cols-[2.5rem_1fr]">
      <Side line={row.left} look={row.same ? 'same' : 'removed'} isTwice={row.same} />
      <Side line={row.right} look={row.same ? 'same' : 'added'} />
    </tr>
  );
}

const LOOKS = {
  same: { line: '', word: 'bg-transparent' },
  removed: { line: 'bg-danger-soft', word: 'rounded-xs bg-danger/25' },
  added: { line: 'bg-ok/10', word: 'rounded-xs bg-ok/25' },
} as const;

function Side(props: {
  line: SideLine | null;
  look: keyof typeof LOOKS;
  /** The other side says the same: one column needs it once. */
  isTwice?: boolean;
}) {
  const { line, look } = props;
  if (line === null) return <td colSpan={2} className="border-l border-line bg-sunken max-sm:hidden" />;
  const { line: ground, word } = LOOKS[look];
  const hidden = props.isTwice === true && 'max-sm:hidden';
  return (
    <>
      <td className={cx('border-l border-line px-1.5 text-right text-faint select-none', ground, hidden)}>
        {line.number}
      </td>
      <td className={cx('px-1.5 break-words whitespace-pre-wrap', ground, hidden)}>
        {look !== 'same' && <span className="sr-only">{look}: </span>}
        {line.parts.map((part, at) =>
          part.changed ? (
            <mark key={at} className={cx('text-text', word)}>
              {part.text}
            </mark>
          ) : (
            <span key={at}>{part.text}</span>
          ),
        )}
      </td>
    </>
  );
}
