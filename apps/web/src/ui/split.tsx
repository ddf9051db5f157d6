import { type ReactNode, useRef } from 'react';
import { cx } from '../lib/cx.ts';
import { preference } from '../lib/preference.ts';
import { PAGE_ROWS } from './page-column.ts';

const isPercent = (text: string): text is string => /^(2[5-9]|[3-6]\d|7[0-5])$/.test(text);
const splitAt = preference('split', '54', isPercent);
const clamp = (percent: number) => String(Math.round(Math.min(75, Math.max(25, percent))));

/** The panes of a page, side by side; the line between them moves by pointer and by arrow keys. */
export function Split(props: {
  left: ReactNode;
  right: ReactNode;
  /** Below one another, the first is as high as its content: what it leaves of its half is the other's. */
  fits?: boolean;
}) {
  const percent = splitAt.use();
  const box = useRef<HTMLDivElement>(null);
  const moveTo = (clientX: number) => {
    const area = box.current?.getBoundingClientRect();
    if (area && area.width > 0) splitAt.set(clamp(((clientX - area.left) / area.width) * 100));
  };
  return (
    <div ref={box} className={cx('flex max-lg:flex-col low:max-lg:overflow-y-auto', PAGE_ROWS)}>
      <div
        className={cx(
          'flex min-w-0 shrink-0 flex-col low:max-lg:h-[max(80%,16rem)] max-lg:w-full! max-lg:border-b max-lg:border-line',
          props.fits === true ? 'max-lg:max-h-1/2 low:max-lg:max-h-none' : 'max-lg:h-1/2',
        )}
        style={{ width: `${percent}%` }}
      >
        {props.left}
      </div>
      <div
        role="separator"
        aria-orientation="vertical"
        aria-label="Width of the panes"
        aria-valuenow={Number(percent)}
        aria-valuemin={25}
        aria-valuemax={75}
        tabIndex={0}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) =>
          event.currentTarget.hasPointerCapture(event.pointerId) && moveTo(event.clientX)
        }
        onKeyDown={(event) => {
          if (event.key === 'ArrowLeft') splitAt.set(clamp(Number(percent) - 2));
          else if (event.key === 'ArrowRight') splitAt.set(clamp(Number(percent) + 2));
          else return;
          event.preventDefault();
        }}
        className="w-1 shrink-0 max-lg:hidden cursor-col-resize touch-none border-l border-line hover:bg-accent-fill focus-visible:bg-accent-fill"
      />
      <div className="min-h-0 min-w-0 grow basis-0 low:max-lg:min-h-full">{props.right}</div>
    </div>
  );
}
