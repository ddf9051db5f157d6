import { Button } from '../../ui/button.tsx';
import { When } from '../../ui/when.tsx';

/** Over an editor: whether what stands there is kept, since when and by whom, and the button that keeps it. */
export function SaveBar(props: {
  readonly saved: { readonly updatedAt: string; readonly updatedBy: string };
  readonly dirty: boolean;
  readonly mayWrite: boolean;
  readonly canSave: boolean;
  readonly onSave: () => void;
}) {
  const { saved, dirty, mayWrite, canSave, onSave } = props;
  return (
    <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-1.5">
      <p className="min-w-0 text-sm text-muted">
        {dirty ? (
          'Changed, not saved'
        ) : (
          <>
            Saved <When time={saved.updatedAt} /> by {saved.updatedBy}
          </>
        )}
      </p>
      {mayWrite && (
        <Button look="primary" className="ml-auto" disabled={!canSave} title="mod+s" onClick={onSave}>
          Save
        </Button>
      )}
    </div>
  );
}
