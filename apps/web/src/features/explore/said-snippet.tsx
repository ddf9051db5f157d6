import type { SaidHit } from '@candela/contract';

/** Who said it, and the text around with what is sought marked. */
export default function SaidSnippet({ hit }: { hit: SaidHit }) {
  return (
    <span
      className="text-muted"
      title={`${hit.role}: ${hit.before}${hit.match}${hit.after}`}
      data-testid="said"
    >
      <span className="text-xs">{hit.role}</span> <bdi>{hit.before.slice(-24)}</bdi>
      <mark className="bg-accent-fill/40 text-text">{hit.match}</mark>
      <bdi>{hit.after}</bdi>
    </span>
  );
}
