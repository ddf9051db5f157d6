import { useState } from 'react';
import { nounOf } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { EvaluateDialog, SpanActions } from './span-actions.tsx';

/** What can be done with the rows that are ticked in a list of spans or traces; a key is `trace id[-span id]`. */
export default function PickBar(props: {
  keys: ReadonlySet<string>;
  noun: 'spans' | 'traces';
  most: number;
  onClose: () => void;
}) {
  const { keys, noun, most } = props;
  const ids = [...keys].map((key) => {
    const [traceId = '', spanId = ''] = key.split('-');
    return { traceId, spanId };
  });
  return (
    <div
      role="group"
      aria-label="Chosen rows"
      className="flex flex-wrap items-center gap-2 border-b border-line bg-surface px-3 py-1.5"
    >
      <p className="text-sm" role="status">
        {keys.size === 0
          ? `Tick ${noun} in the list.`
          : `${keys.size} ${nounOf(keys.size, noun)} chosen${keys.size >= most ? ', which is the most at once' : ''}.`}
      </p>
      {keys.size > 0 &&
        (noun === 'spans' ? (
          <SpanActions spans={ids} />
        ) : (
          <EvaluateTraces traceIds={ids.map(({ traceId }) => traceId)} />
        ))}
      <Button look="plain" className="ml-auto" onClick={props.onClose}>
        Done
      </Button>
    </div>
  );
}

/** The model calls of whole traces are judged. */
function EvaluateTraces({ traceIds }: { traceIds: string[] }) {
  const [open, setOpen] = useState(false);
  const [said, setSaid] = useState('');
  return (
    <>
      <Button onClick={() => setOpen(true)}>Evaluate …</Button>
      <span role="status" className="text-sm text-muted">
        {said}
      </span>
      {open && (
        <EvaluateDialog
          judged={{ traceIds }}
          onDone={(text) => {
            setSaid(text);
            setOpen(false);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
