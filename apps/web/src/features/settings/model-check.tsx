import type { ModelConfig } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { checkModelIn } from '../../api/model-settings.ts';
import { formatDuration } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Modal } from '../../ui/modal.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { When } from '../../ui/when.tsx';
import { useShell } from '../shell/shell-search.ts';
import { Loaded } from './page.tsx';

/** Whether a model answers: one call of a few tokens, made when it is opened. */
export function ModelCheckDialog({ model, onClose }: { model: ModelConfig; onClose: () => void }) {
  const { environment } = useShell();
  const query = useQuery({
    queryKey: ['model-check', environment, model.id],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    queryFn: () => checkModelIn(environment)(model.id),
  });
  return (
    <Modal label={`Check of ${model.name}`} onClose={onClose} className="w-[min(520px,94vw)]">
      <div className="flex max-h-[70vh] flex-col gap-3 overflow-y-auto p-4">
        <h2 className="text-lg font-semibold">Check of {model.name}</h2>
        <Loaded query={query} label="what the model answers">
          {({ ok, detail, durationMs, checkedAt }) => (
            <>
              <p className="flex gap-2">
                <span className="mt-1">
                  <StatusIcon status={ok ? 'ok' : 'error'} />
                </span>
                <span className="min-w-0 wrap-anywhere">{detail}</span>
              </p>
              <p className="text-sm text-muted">
                {formatDuration(durationMs)}, checked <When time={checkedAt} />.
              </p>
            </>
          )}
        </Loaded>
      </div>
      <footer className="flex justify-end gap-2 border-t border-line px-4 py-2.5">
        <Button busy={query.isFetching} onClick={() => void query.refetch()}>
          Check again
        </Button>
        <Button onClick={onClose}>Close</Button>
      </footer>
    </Modal>
  );
}
