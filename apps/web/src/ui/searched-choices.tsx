import { type ComponentProps, lazy } from 'react';
import { type Align, Floating, type Side } from './floating.tsx';
import { Late } from './late.tsx';
import type { Choice } from './menu.tsx';
import { SkeletonRows } from './states.tsx';

// Few installations have so many of anything.
const FoundChoices = lazy(() => import('./found-choices.tsx'));

/** Chooses one of many values: words narrow them, arrows walk, Enter chooses. */
export function SearchedChoices(props: {
  trigger: ComponentProps<typeof Floating>['trigger'];
  label: string;
  value: string;
  choices: readonly Choice[];
  onChoose: (value: string) => void;
  side?: Side | undefined;
  align?: Align | undefined;
}) {
  return (
    <Floating
      trigger={props.trigger}
      role="dialog"
      label={props.label}
      side={props.side}
      align={props.align ?? 'start'}
      className="w-80 max-w-[92vw] p-1"
      firstFocus={(panel) => {
        // Only what is shown can be scrolled to.
        panel.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'center' });
        return panel.querySelector('input');
      }}
    >
      {(close) => (
        // As high as so many choices are.
        <div className="min-h-104">
          <Late fallback={<SkeletonRows label={`Loading ${props.label.toLowerCase()}`} />}>
            <FoundChoices
              {...props}
              onChoose={(value) => {
                close();
                props.onChoose(value);
              }}
            />
          </Late>
        </div>
      )}
    </Floating>
  );
}
