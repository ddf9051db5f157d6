/** A tag of a row; a click shows the rows that have it. */
export function TagButton({ tag, onChoose }: { tag: string; onChoose: (tag: string) => void }) {
  return (
    <button
      type="button"
      aria-label={`Only with the tag ${tag}`}
      title={tag}
      onClick={() => onChoose(tag)}
      className="max-w-32 min-h-6 truncate rounded border border-line px-1.5 text-xs text-muted hover:bg-hover hover:text-text"
    >
      {tag}
    </button>
  );
}
