import { lazy, type ReactNode, Suspense } from 'react';
import { cx } from '../../lib/cx.ts';
import { PAGE_COLUMN, PAGE_ROWS } from '../../ui/page-column.ts';
import { Notice } from '../../ui/states.tsx';
import type { ExploreConfig } from './explore-config.ts';
import type { Explorer } from './explorer.ts';
import { FacetsButton, FacetsPanel } from './facets-panel.tsx';
import { SearchBox } from './search-box.tsx';

// Comes with the first search.
const FilterChips = lazy(async () => ({ default: (await import('./filter-chips.tsx')).FilterChips }));

/** The frame of every explorer: search box and actions, chips, chart, facets beside the rows. */
export function ExplorerLayout(props: {
  /** Name of the page: `Traces`. */
  title: string;
  config: ExploreConfig;
  explorer: Explorer;
  /** What the rows are, in the plural, where the facets count something else. */
  rows?: string;
  /** Buttons beside the search box. */
  actions?: ReactNode;
  /** Above the rows; left out while the query cannot be read. */
  chart?: ReactNode;
  /** The rows, with every state of theirs. */
  children: ReactNode;
  /** Right of the rows: a panel of the selected one. */
  aside?: ReactNode;
}) {
  const { config, explorer, rows } = props;
  const facets = { config, scope: explorer.scope, onChange: explorer.setQuery, rows };
  return (
    <div className={PAGE_COLUMN}>
      <title>{`${props.title} · Candela`}</title>
      <h1 className="sr-only">{props.title}</h1>
      <div className="flex shrink-0 flex-col gap-2 border-b border-line px-3 py-2">
        <div className="flex items-start gap-2 max-lg:flex-wrap">
          <SearchBox config={config} value={explorer.q} scope={explorer.scope} onSearch={explorer.setQuery} />
          <FacetsButton {...facets} />
          {props.actions}
        </div>
        {explorer.q.trim() !== '' && (
          <Suspense fallback={<div className="h-6" />}>
            <FilterChips query={explorer.q} onChange={explorer.setQuery} />
          </Suspense>
        )}
        {!explorer.trouble && props.chart}
      </div>
      {explorer.trouble ? (
        <Notice title="The search cannot be read">
          <p>Correct the marked part above and press Enter.</p>
        </Notice>
      ) : (
        <div className={cx('flex', PAGE_ROWS)}>
          <FacetsPanel {...facets} />
          <div className="min-w-0 grow">{props.children}</div>
          {props.aside}
        </div>
      )}
    </div>
  );
}
