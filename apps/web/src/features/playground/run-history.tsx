import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { deletePlaygroundRun, JUDGE_KEY, playgroundRunsQuery } from '../../api/evaluations.ts';
import { formatCost } from '../../lib/format.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Modal } from '../../ui/modal.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { When } from '../../ui/when.tsx';
import { useShell } from '../shell/shell-search.ts';

/** The person's own runs of the playground; one is opened again with what was asked and answered. */
export default function RunHistory(props: {
  shown: string | undefined;
  onOpen: (id: string) => void;
  onClose: () => void;
}) {
  const { environment } = useShell();
  const query = useQuery(playgroundRunsQuery(environment));
  const remove = useApiMutation((id: string) => deletePlaygroundRun(environment, id), {
    touches: [[...JUDGE_KEY, 'playground', environment]],
  });
  const rows = query.data ?? [];
  return (
    <Modal label="Your runs" onClose={props.onClose} className="w-[min(640px,94vw)]">
      <div className="flex items-center gap-2 border-b border-line px-4 py-2.5">
        <h2 className="mr-auto text-lg font-semibold">Your runs</h2>
        <Button onClick={props.onClose}>Close</Button>
      </div>
      <div className="max-h-[62vh] overflow-y-auto p-2">
        <ErrorLine error={remove.error} />
        {query.isPending && <SkeletonRows rows={4} label="Loading the runs" />}
        {query.isLoadingError && <Failure error={query.error} onRetry={() => void query.refetch()} />}
        {query.isSuccess && rows.length === 0 && (
          <p className="p-2 text-muted">None yet. The last 50 are kept, for you alone.</p>
        )}
        <ul>
          {rows.map(({ id, title, models, createdAt, costUsd }) => (
            <li key={id} className="flex items-center gap-1 rounded-md hover:bg-hover">
              <button
                type="button"
                aria-current={id === props.shown ? 'true' : undefined}
                className="min-w-0 grow rounded-md p-2 text-left aria-[current]:font-medium"
                onClick={() => props.onOpen(id)}
              >
                <span className="block truncate">{title}</span>
                <span className="block truncate text-sm text-muted">
                  <When time={createdAt} /> · {models.join(', ')} · {formatCost(costUsd)}
                </span>
              </button>
              <Button look="plain" aria-label={`Delete the run: ${title}`} onClick={() => remove.mutate(id)}>
                <X size={14} aria-hidden />
              </Button>
            </li>
          ))}
        </ul>
      </div>
    </Modal>
  );
}
