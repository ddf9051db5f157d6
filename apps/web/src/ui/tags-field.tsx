import { X } from 'lucide-react';
import { useId, useState } from 'react';

/** Short words about a thing: typed and ended by Enter or a comma, taken away one by one. */
export function TagsField(props: {
  label: string;
  hint?: string;
  tags: readonly string[];
  onTags: (tags: string[]) => void;
  /** Tags that are taken, and characters of one. */
  most?: number;
  longest?: number;
  disabled?: boolean;
}) {
  const { tags, most = 50, longest = 100 } = props;
  const id = useId();
  const [typed, setTyped] = useState('');
  const full = tags.length >= most;
  const add = (text: string) => {
    const found = text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '' && tag.length <= longest);
    const next = [...new Set([...tags, ...found])].slice(0, most);
    if (next.length !== tags.length) props.onTags(next);
    setTyped('');
  };
  const remove = (tag: string) => props.onTags(tags.filter((each) => each !== tag));
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {props.label}
      </label>
      <div className="flex min-h-8 flex-wrap items-center gap-1 rounded-md border border-line bg-bg px-1.5 py-0.5 focus-within:border-accent-fill">
        {tags.map((tag) => (
          <span
            key={tag}
            className="inline-flex max-w-full items-center gap-0.5 rounded border border-line bg-surface pl-1.5 text-sm"
          >
            <span className="truncate">{tag}</span>
            {props.disabled !== true && (
              <button
                type="button"
                aria-label={`Take away ${tag}`}
                className="flex size-6 items-center justify-center rounded text-muted hover:bg-hover hover:text-text"
                onClick={() => remove(tag)}
              >
                <X size={12} aria-hidden />
              </button>
            )}
          </span>
        ))}
        <input
          id={id}
          value={typed}
          disabled={props.disabled === true || full}
          maxLength={longest}
          aria-describedby={`${id}-note`}
          placeholder={tags.length === 0 ? 'a word, Enter' : ''}
          onChange={(event) => {
            const text = event.target.value;
            if (text.includes(',')) add(text);
            else setTyped(text);
          }}
          onBlur={() => add(typed)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && typed.trim() !== '') add(typed);
            else if (event.key === 'Backspace' && typed === '' && tags.length > 0)
              props.onTags(tags.slice(0, -1));
            else return;
            event.preventDefault();
          }}
          className="h-6 min-w-24 grow basis-0 bg-transparent text-sm outline-none placeholder:text-faint"
        />
      </div>
      <p id={`${id}-note`} className="text-sm text-muted">
        {full ? `No more than ${most}.` : (props.hint ?? 'Enter or a comma ends one.')}
      </p>
    </div>
  );
}
