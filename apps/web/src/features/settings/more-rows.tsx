import { Button } from '../../ui/button.tsx';

/** Below a list that is read page by page: the next page, when there is one. */
export function MoreRows(props: {
  query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    fetchNextPage(): unknown;
  };
}) {
  const { query } = props;
  if (!query.hasNextPage) return null;
  return (
    <div>
      <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Show more
      </Button>
    </div>
  );
}
