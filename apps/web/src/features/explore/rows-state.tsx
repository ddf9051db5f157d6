import { exact } from '../../lib/format.ts';
import { transferFocus } from '../../lib/transfer-focus.ts';
import { useRetry } from '../../lib/use-retry.ts';

/** Below the rows: whether there are more of them. */
export function RowsFooter(props: {
  shown: number;
  fetching: boolean;
  /** Why more rows could not be loaded; null: they could. */
  failed: unknown;
  done: boolean;
  onRetry: () => void;
}) {
  const again = useRetry(props.failed, props.onRetry);
  return (
    <p className="sticky left-0 px-4 py-2 text-sm text-muted" role="status">
      {props.failed !== null ? (
        <>
          More rows could not be loaded.{' '}
          <button
            type="button"
            className="text-accent underline aria-busy:opacity-60"
            aria-busy={again.asking}
            onClick={(event) => {
              toRows(event.currentTarget);
              again.ask();
            }}
          >
            Try again
          </button>
        </>
      ) : props.fetching ? (
        'Loading more …'
      ) : !props.done ? (
        ''
      ) : props.shown === 1 ? (
        'The only row'
      ) : (
        `All ${exact(props.shown)} rows shown`
      )}
    </p>
  );
}

/** Over rows that a part of the spans has: until all are looked at, others may come in between. */
export function FoundInPart({ part }: { part: number }) {
  return (
    <p
      data-testid="rows-part"
      className="pointer-events-none absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full border border-line bg-surface px-3 py-1 text-sm text-muted shadow-pop"
    >
      Found in the newest {(part * 100).toPrecision(2)} % of the spans, looking at the rest …
    </p>
  );
}

/** The keyboard goes on where the rows will be, which come later than the button goes. */
export function toRows(from: Element): void {
  const place = from.closest<HTMLElement>('[data-rows], main');
  transferFocus(from, () => place);
}
