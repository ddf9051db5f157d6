import type { Context } from '@candela/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  CONTEXT_KEYS,
  contextVersionQuery,
  contextVersionsQuery,
  restoreContextIn,
} from '../../api/contexts.ts';
import { formatCount } from '../../lib/format.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { Table } from '../../ui/table.tsx';
import TextDiff from '../../ui/text-diff.tsx';
import { When } from '../../ui/when.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { MoreRows } from '../../ui/more-rows.tsx';
import { Loaded, Section } from '../settings/page.tsx';
import { useShell } from '../shell/shell-search.ts';
import type { ContextSearch } from './contexts-search.ts';

/** What a context was before: compare it, bring it back. */
export default function ContextVersions(props: {
  context: Context;
  search: ContextSearch;
  onChange: (next: { a?: string | undefined; b?: string | undefined }) => void;
  onRestored: (now: Context) => void;
}) {
  const { context, search } = props;
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const query = useInfiniteQuery(contextVersionsQuery(environment, context.id));
  const [restoring, setRestoring] = useState<number>();
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  const newer = search.b === undefined ? context.version : Number(search.b);
  const older = search.a === undefined ? rows[1]?.version : Number(search.a);
  return (
    <div className="flex flex-col gap-3 overflow-auto p-3">
      <Section title="Versions" about="Another text, other tags or other properties make a version.">
        <Loaded query={query} label="the versions">
          {() => (
            <Table
              label="Versions"
              rows={rows}
              keyOf={(row) => String(row.version)}
              empty="There is none."
              columns={[
                {
                  label: 'Version',
                  cell: (row) => (
                    <>
                      {row.version} {row.version === context.version && <Badge tone="ok">in force</Badge>}
                    </>
                  ),
                },
                { label: 'Saved', cell: (row) => <When time={row.createdAt} /> },
                { label: 'By', cell: (row) => row.createdBy },
                {
                  label: 'Content',
                  cell: (row) => (
                    <span className="block max-w-96 truncate text-muted" title={row.preview}>
                      {row.preview}
                    </span>
                  ),
                },
                { label: 'Characters', align: 'end', cell: (row) => formatCount(row.length) },
                {
                  label: 'Actions',
                  align: 'end',
                  cell: ({ version }) => (
                    <span className="inline-flex gap-1">
                      <Button
                        className="h-6"
                        aria-label={`Compare version ${version}`}
                        aria-pressed={version === older || version === newer}
                        onClick={() =>
                          props.onChange({
                            a: String(version),
                            b: version === newer ? String(context.version) : String(newer),
                          })
                        }
                      >
                        Compare
                      </Button>
                      {can('member') && version !== context.version && (
                        <Button
                          className="h-6"
                          aria-label={`Restore version ${version}`}
                          onClick={() => setRestoring(version)}
                        >
                          Restore
                        </Button>
                      )}
                    </span>
                  ),
                },
              ]}
            />
          )}
        </Loaded>
        <MoreRows query={query} />
      </Section>
      {older !== undefined && older !== newer && (
        <Section title={`From version ${older} to ${newer}`}>
          <Difference id={context.id} from={older} to={newer} />
        </Section>
      )}
      {restoring !== undefined && (
        <Restore
          context={context}
          version={restoring}
          onRestored={props.onRestored}
          onClose={() => setRestoring(undefined)}
        />
      )}
    </div>
  );
}

function Difference({ id, from, to }: { id: string; from: number; to: number }) {
  const { environment } = useShell();
  const before = useQuery(contextVersionQuery(environment, id, from));
  const after = useQuery(contextVersionQuery(environment, id, to));
  return (
    <Loaded query={before} label="the version">
      {(older) => (
        <Loaded query={after} label="the version">
          {(newer) => (
            <TextDiff
              label={`Content of version ${from} and ${to}`}
              before={{ name: `Version ${from}`, text: older.content }}
              after={{ name: `Version ${to}`, text: newer.content }}
              className="max-h-[60vh]"
            />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

function Restore(props: {
  context: Context;
  version: number;
  onRestored: (now: Context) => void;
  onClose: () => void;
}) {
  const { context, version } = props;
  const { environment } = useShell();
  const restore = useApiMutation(restoreContextIn(environment), {
    touches: [CONTEXT_KEYS],
    onDone: (now) => {
      props.onRestored(now);
      props.onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Restore version ${version} of ${context.name}?`}
      action="Restore"
      busy={restore.isPending}
      error={restore.error}
      onConfirm={() => restore.mutate({ id: context.id, version, revision: context.revision })}
      onClose={props.onClose}
    >
      <p>
        Its content, tags and properties become version {context.version + 1}. What is unsaved in the editor
        is lost.
      </p>
    </ConfirmDialog>
  );
}
