import { TriangleAlert } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { SkeletonRows } from '../../ui/states.tsx';
import { When } from '../../ui/when.tsx';

const TextDiff = lazy(() => import('../../ui/text-diff.tsx'));

/** Two people wrote at once: what is written here stays until one says which counts. */
export function Conflict(props: {
  /** What it is: `prompt`. */
  noun: string;
  theirs: { readonly text: string; readonly by: string | null; readonly at: string | null };
  mine: string;
  busy: boolean;
  onMine: () => void;
  onTheirs: () => void;
}) {
  const { theirs } = props;
  const [shown, setShown] = useState(false);
  return (
    <div
      role="alert"
      className="flex shrink-0 flex-col gap-2 rounded-md border border-warn/50 bg-surface p-3 text-sm"
    >
      <p className="flex items-start gap-2">
        <TriangleAlert size={15} className="mt-0.5 shrink-0 text-warn" aria-hidden />
        <span>
          {theirs.by ?? 'Somebody'} saved this {props.noun} <When time={theirs.at} none="meanwhile" />, after
          you began. What you wrote is still here and not saved.
        </span>
      </p>
      <div className="flex flex-wrap gap-1">
        <Button aria-expanded={shown} onClick={() => setShown(!shown)}>
          {shown ? 'Hide the difference' : 'Show the difference'}
        </Button>
        <Button disabled={props.busy} onClick={props.onMine}>
          Save mine over it
        </Button>
        <Button onClick={props.onTheirs}>Take theirs, drop mine</Button>
      </div>
      {shown && (
        <Suspense fallback={<SkeletonRows rows={3} label="Comparing" />}>
          <TextDiff
            label="Theirs and yours"
            before={{ name: 'Theirs', text: theirs.text }}
            after={{ name: 'Yours', text: props.mine }}
            className="max-h-80"
          />
        </Suspense>
      )}
    </div>
  );
}
