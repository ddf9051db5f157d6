import { searchTerms } from '@candela/contract/filter';
import { formatCount } from '../../lib/format.ts';

/** Where the selected span holds what is sought, and how many model calls only repeat it. */
export default function FindExcerpt(props: { excerpt: string | undefined; repeats: number; text: string }) {
  const { excerpt, repeats, text } = props;
  return (
    <div className="flex shrink-0 gap-3 border-b border-line bg-sunken px-3 py-1 text-xs text-muted">
      {excerpt !== undefined && (
        <p className="min-w-0 grow truncate font-mono" title={excerpt}>
          <Marked text={excerpt} terms={searchTerms(text)} />
        </p>
      )}
      {repeats > 0 && (
        <p
          role="status"
          className="ml-auto shrink-0"
          title="Model calls that only repeat it from the history before them; the matches are where it was said first"
        >
          in the history of {formatCount(repeats)} more
        </p>
      )}
    </div>
  );
}

/** The text with the terms marked. */
function Marked({ text, terms }: { text: string; terms: readonly string[] }) {
  const line = text.replaceAll(/\s+/g, ' ');
  const at = terms
    .map((term) => ({ term, index: line.toLowerCase().indexOf(term) }))
    .find(({ index }) => index !== -1);
  if (at === undefined) return line;
  const end = at.index + at.term.length;
  return (
    <>
      {line.slice(Math.max(0, at.index - 60), at.index)}
      <mark className="bg-accent-fill/40 text-text">{line.slice(at.index, end)}</mark>
      {line.slice(end)}
    </>
  );
}
