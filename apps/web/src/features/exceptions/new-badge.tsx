/** Seen for the first time within the time range. */
export function NewBadge() {
  return (
    <span
      title="First seen within the time range"
      className="shrink-0 rounded border border-accent-fill/50 px-1 text-xs text-accent"
    >
      New
    </span>
  );
}
