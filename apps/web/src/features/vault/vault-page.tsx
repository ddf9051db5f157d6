import type { Secret } from '@candela/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { secretsQuery } from '../../api/vault.ts';
import { cx } from '../../lib/cx.ts';
import { formatCount } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { FilterBox } from '../../ui/filter-box.tsx';
import { PAGE_COLUMN, PAGE_ROWS } from '../../ui/page-column.ts';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { StartHere } from '../build/start-here.tsx';
import { TagButton } from '../build/tag-button.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { MoreRows } from '../../ui/more-rows.tsx';
import { useShell } from '../shell/shell-search.ts';
import { NewSecret } from './secret-dialogs.tsx';
import { vaultSnippets } from './snippets.ts';
import type { VaultSearch } from './vault-search.ts';

const route = getRouteApi('/vault');
const SecretPanel = lazy(() => import('./secret-panel.tsx'));

/** The secrets of a project by name; their values only for whom they are meant, one at a time. */
export function VaultPage() {
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { search: text = '', tag = '', secret: open } = search;
  const query = useInfiniteQuery(secretsQuery(environment, { search: text, tag }));
  const [making, setMaking] = useState(false);
  const change = (next: { [Key in keyof VaultSearch]?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true });
  const mayChange = can('admin');
  const add = mayChange && (
    <Button look="primary" onClick={() => setMaking(true)}>
      <Plus size={14} aria-hidden />
      New secret
    </Button>
  );
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  const narrowed = text !== '' || tag !== '';
  return (
    <div className={PAGE_COLUMN}>
      <title>Vault · Candela</title>
      <h1 className="sr-only">Vault</h1>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <FilterBox
          label="Search secrets"
          placeholder="Part of a name"
          value={text}
          restMs={250}
          onChange={(next) => change({ search: next || undefined })}
        />
        {tag !== '' && (
          <Button aria-label={`All tags, not only ${tag}`} onClick={() => change({ tag: undefined })}>
            tag {tag} ×
          </Button>
        )}
        {add}
      </div>
      <div className={cx('flex', PAGE_ROWS)}>
        <div className="min-w-0 grow overflow-auto p-3">
          {query.isPending ? (
            <SkeletonRows rows={6} label="Loading the secrets" />
          ) : query.isLoadingError ? (
            <Failure error={query.error} onRetry={() => void query.refetch()} />
          ) : rows.length === 0 && narrowed ? (
            <Notice title="No secret fits">
              <Button onClick={() => change({ search: undefined, tag: undefined })}>Show all</Button>
            </Notice>
          ) : rows.length === 0 ? (
            <StartHere title="Keep the first secret" snippets={vaultSnippets(location.origin)}>
              Keys of vendors, passwords, tokens: encrypted at rest with a key of their own, handed to
              applications whose API key may read them, every reading noted in the audit log.
              {!mayChange && ' An admin or owner can add one.'}
            </StartHere>
          ) : (
            <>
              <Secrets
                rows={rows}
                open={open}
                onOpen={(id) => change({ secret: id === open ? undefined : id })}
                onTag={(next) => change({ tag: next })}
              />
              <MoreRows query={query} />
            </>
          )}
        </div>
        {open !== undefined && (
          <Suspense fallback={<SkeletonRows rows={4} label="Loading the secret" />}>
            <SecretPanel
              key={open}
              id={open}
              mayChange={mayChange}
              onClose={() => change({ secret: undefined })}
            />
          </Suspense>
        )}
      </div>
      {making && (
        <NewSecret
          onMade={(made) => {
            setMaking(false);
            change({ secret: made.id });
          }}
          onClose={() => setMaking(false)}
        />
      )}
    </div>
  );
}

/** Who may read it, in a word. */
const accessWord = (grants: Secret['grants']): string =>
  grants === null ? 'every key with the scope' : grants.length === 0 ? 'nobody' : `${grants.length} chosen`;

function Secrets(props: {
  rows: readonly Secret[];
  open: string | undefined;
  onOpen: (id: string) => void;
  onTag: (tag: string) => void;
}) {
  return (
    <Table
      label="Secrets"
      walked
      rows={props.rows}
      keyOf={(secret) => secret.id}
      empty=""
      columns={[
        {
          label: 'Name',
          cell: (secret) => (
            <button
              type="button"
              aria-pressed={secret.id === props.open}
              onClick={() => props.onOpen(secret.id)}
              className="flex min-h-6 max-w-96 items-center font-mono hover:underline aria-pressed:text-accent"
            >
              <MiddleTruncation name={secret.key} />
            </button>
          ),
        },
        {
          label: 'Tags',
          cell: (secret) => (
            <span className="flex max-w-72 gap-1 overflow-hidden">
              {secret.tags.map((tag) => (
                <TagButton key={tag} tag={tag} onChoose={props.onTag} />
              ))}
            </span>
          ),
        },
        { label: 'Read by', cell: (secret) => <Badge>{accessWord(secret.grants)}</Badge> },
        { label: 'Version', align: 'end', cell: (secret) => secret.version },
        { label: 'Bytes', align: 'end', cell: (secret) => formatCount(secret.bytes) },
        { label: 'Changed', cell: (secret) => <When time={secret.updatedAt} /> },
        { label: 'By', cell: (secret) => secret.updatedBy ?? 'a key' },
      ]}
    />
  );
}
