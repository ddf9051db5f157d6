import type { FilterTextError } from '@candela/contract/filter';

/** The text again with the wrong part marked, and what to write instead. */
export default function SearchTrouble({
  id,
  text,
  trouble,
}: {
  id: string;
  text: string;
  trouble: FilterTextError;
}) {
  const end = trouble.position + trouble.length;
  return (
    <p id={id} role="alert" className="mt-1 flex flex-wrap gap-x-3 text-sm">
      <code className="max-w-full truncate font-mono text-muted">
        {text.slice(Math.max(0, trouble.position - 24), trouble.position)}
        <mark className="bg-danger-soft text-danger underline decoration-wavy underline-offset-2">
          {text.slice(trouble.position, end) || '␣'}
        </mark>
        {text.slice(end, end + 24)}
      </code>
      <span className="text-danger">
        {trouble.message} {trouble.hint}
      </span>
    </p>
  );
}
