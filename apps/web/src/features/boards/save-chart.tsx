import { useRouterState } from '@tanstack/react-router';
import { Bookmark } from 'lucide-react';
import { useState } from 'react';
import { createView } from '../../api/explore.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { viewSearch } from '../../lib/view-search.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { useWhoAsks } from '../session/use-person.ts';

/** Keeps the chart, with the search and time range of its list, among the saved views of the page. */
export function SaveChart(props: { page: string; panel: string; title: string }) {
  const search = useRouterState({ select: ({ location }) => location.search });
  const [name, setName] = useState<string>();
  const [saved, setSaved] = useState('');
  const { person, can } = useWhoAsks();
  const save = useApiMutation(createView, {
    touches: [['views']],
    onDone: (view) => {
      setSaved(view.name);
      setName(undefined);
    },
  });
  if (person !== undefined && !can('member')) return null;
  return (
    <div className="mr-auto flex min-w-0 flex-col gap-1">
      {name === undefined ? (
        <Button className="h-8 self-start" onClick={() => setName(props.title.slice(0, 100))}>
          <Bookmark size={14} className="text-muted" aria-hidden />
          Save as a view
        </Button>
      ) : (
        <form
          className="flex gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() === '' || save.isPending) return;
            const kept = viewSearch({ ...search, panel: props.panel }, undefined);
            save.mutate({ page: props.page, name: name.trim(), search: kept });
          }}
        >
          <input
            autoFocus
            aria-label="Name of the view"
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
            className="h-8 w-52 min-w-0 rounded-md border border-line bg-bg px-2"
          />
          <Button
            look="primary"
            type="submit"
            className="h-8"
            busy={save.isPending}
            disabled={name.trim() === ''}
          >
            Save
          </Button>
        </form>
      )}
      <p role="status" className="text-sm text-muted empty:hidden">
        {saved !== '' && name === undefined && `Saved as “${saved}”, under Views of the list.`}
      </p>
      <ErrorLine error={save.error} />
    </div>
  );
}
