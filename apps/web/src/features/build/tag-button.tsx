/** A tag of a row; a click shows the rows that have it. */
export function TagButton(props: { tag: string; onChoose: (tag: string) => void; tabIndex?: 0 | -1 }) {
  const { tag } = props;
  return (
    <button
      type="button"
      aria-label={`Only with the tag ${tag}`}
      title={tag}
      tabIndex={props.tabIndex}
      onClick={() => props.onChoose(tag)}
      className="max-w-32 min-h-6 truncate rounded border border-line px-1.5 text-xs text-muted hover:bg-hover hover:text-text"
    >
      {tag}
    </button>
  );
}
