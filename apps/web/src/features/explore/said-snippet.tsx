import type { SaidHit } from '@candela/contract';

/** On one line, as rows have it; the spaces at its edges stay. */
const line = (text: string): string => text.replace(/\s+/g, ' ');

/**
 * Who said it, and the text around with what is sought marked. In a column of one line the words before give way first,
 * then those after: what is sought is the last to be cut.
 */
export default function SaidSnippet({ hit }: { hit: SaidHit }) {
  return (
    <span
      className="text-muted sm:@container sm:block"
      title={`${hit.role}: ${hit.before}${hit.match}${hit.after}`}
      data-testid="said"
    >
      <span className="sm:flex sm:whitespace-pre">
        <span className="text-xs sm:leading-[inherit] sm:@max-[8rem]:hidden">{hit.role} </span>
        <bdi className="sm:flex sm:min-w-0 sm:shrink-[9999] sm:justify-end sm:overflow-hidden">
          {line(hit.before.slice(-24))}
        </bdi>
        <mark className="bg-accent-fill/40 text-text sm:max-w-full sm:shrink-0 sm:overflow-hidden sm:text-ellipsis">
          {line(hit.match)}
        </mark>
        <bdi className="sm:min-w-0 sm:shrink-[999] sm:overflow-hidden sm:text-ellipsis">
          {line(hit.after)}
        </bdi>
      </span>
    </span>
  );
}
