import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from './form.tsx';

/** While something is unsaved: leaving the page, the project or the environment asks first, closing the tab too. */
export function UnsavedGuard({ unsaved, what }: { unsaved: boolean; what: string }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      unsaved &&
      (current.pathname !== next.pathname ||
        placeIn(current.search).some((part, at) => part !== placeIn(next.search)[at])),
    enableBeforeUnload: () => unsaved,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <ConfirmDialog
      title={`Leave ${what} unsaved?`}
      action="Leave"
      busy={false}
      error={undefined}
      onConfirm={blocker.proceed}
      onClose={blocker.reset}
    >
      <p>What you changed since the last save is lost.</p>
    </ConfirmDialog>
  );
}

/** Project and environment: another one shows other things under the same path. */
const placeIn = (search: unknown): readonly unknown[] => {
  if (typeof search !== 'object' || search === null) return [undefined, undefined];
  const { project, env } = search as { project?: unknown; env?: unknown };
  return [project, env];
};
