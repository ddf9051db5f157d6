import { cx } from '../lib/cx.ts';
import { Button } from './button.tsx';
import { FailureLine } from './states.tsx';

/** Below a list that is read page by page: the next page, when there is one. */
export function MoreRows(props: {
  query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly error: unknown;
    fetchNextPage(options?: { cancelRefetch?: boolean }): unknown;
  };
  /** What the rows are, in the plural. */
  noun?: string;
  className?: string;
}) {
  const { query, noun = 'rows' } = props;
  if (!query.hasNextPage) return null;
  const more = () => void query.fetchNextPage({ cancelRefetch: false });
  return (
    <div className={cx('flex flex-wrap items-center gap-2', props.className)}>
      <Button busy={query.isFetchingNextPage} onClick={more}>
        {query.isFetchingNextPage ? 'Loading …' : `More ${noun}`}
      </Button>
      {query.isFetchNextPageError && <FailureLine what={`More ${noun}`} error={query.error} onRetry={more} />}
    </div>
  );
}
