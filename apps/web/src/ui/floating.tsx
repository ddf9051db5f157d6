import {
  cloneElement,
  type FocusEvent,
  type HTMLAttributes,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from 'react';
import { cx } from '../lib/cx.ts';

export type Side = 'top' | 'bottom';
export type Align = 'start' | 'end';

const GAP = 4;
const MARGIN = 8;
const CONTROL = 'button:not(:disabled), input, a[href], [tabindex="0"]';

/** Puts a panel beside its trigger, on the other side when there is no room, and never beyond the window. */
function place(panel: HTMLElement, trigger: HTMLElement, side: Side, align: Align): void {
  const at = trigger.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const above = at.top - GAP - height;
  const below = at.bottom + GAP;
  const fitsBelow = below + height <= innerHeight - MARGIN;
  const top =
    side === 'bottom' ? (fitsBelow || above < MARGIN ? below : above) : above < MARGIN ? below : above;
  const left = align === 'start' ? at.left : at.right - width;
  panel.style.left = `${Math.max(MARGIN, Math.min(left, innerWidth - MARGIN - width))}px`;
  panel.style.top = `${Math.max(MARGIN, Math.min(top, innerHeight - MARGIN - height))}px`;
  panel.style.visibility = 'visible';
}

/** The button of a popover. */
export const triggerOf = (popover: string): HTMLElement | null =>
  document.querySelector(`[popovertarget="${CSS.escape(popover)}"]`);

/** What a trigger must take: a button element, or a part that hands its properties on to one. */
type Trigger = ReactElement<HTMLAttributes<HTMLElement> & { popoverTarget?: string; 'data-state'?: string }>;

/**
 * A panel anchored to a button, on the browser's own popover: it closes by Escape and by a click outside, stands above
 * everything, and gives the focus back. (The usual script-made ones cost 25 kB and bring style elements.)
 */
export function Floating(props: {
  trigger: Trigger;
  role: 'dialog' | 'menu';
  label: string;
  open?: boolean | undefined;
  onOpenChange?: ((open: boolean) => void) | undefined;
  side?: Side | undefined;
  align: Align;
  className?: string | undefined;
  /** What has the focus first, asked again when more of the panel arrives; absent: its first control. */
  firstFocus?: (panel: HTMLElement) => HTMLElement | null;
  onKeyDown?: (event: KeyboardEvent<HTMLElement>, close: () => void) => void;
  /** Made only while it is open. */
  children: ReactNode | ((close: () => void) => ReactNode);
}) {
  const { side = 'bottom', align } = props;
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(false);
  /** There while the panel has the focus only because it had no control to give it to. */
  const arrivals = useRef<MutationObserver>(undefined);
  const close = () => panel.current?.hidePopover();
  const firstOf = (element: HTMLElement): HTMLElement =>
    props.firstFocus?.(element) ?? element.querySelector<HTMLElement>(CONTROL) ?? element;
  const settle = useEffectEvent(() => {
    const element = panel.current;
    const trigger = triggerOf(id);
    if (!element || !trigger) return;
    place(element, trigger, side, align);
    const first = firstOf(element);
    first.focus({ preventScroll: true });
    if (first !== element) return;
    arrivals.current = new MutationObserver(() => settleLate());
    arrivals.current.observe(element, { childList: true, subtree: true });
  });
  const settleLate = useEffectEvent(() => {
    const element = panel.current;
    if (!element) return;
    const first = firstOf(element);
    if (document.activeElement === element && first === element) return;
    // From now on whoever clicks beside the controls is where they want to be.
    arrivals.current?.disconnect();
    if (document.activeElement === element) first.focus({ preventScroll: true });
  });
  const follow = useEffectEvent(() => {
    const trigger = triggerOf(id);
    if (panel.current && trigger) place(panel.current, trigger, side, align);
  });
  useEffect(() => {
    if (!shown) return undefined;
    const element = panel.current;
    const moved = () => follow();
    // What is inside may come later and be larger.
    const observer = new ResizeObserver(moved);
    if (element) observer.observe(element);
    addEventListener('resize', moved);
    addEventListener('scroll', moved, true);
    return () => {
      observer.disconnect();
      arrivals.current?.disconnect();
      removeEventListener('resize', moved);
      removeEventListener('scroll', moved, true);
    };
  }, [shown]);
  const { open } = props;
  useEffect(() => {
    const element = panel.current;
    if (!element || open === undefined || open === element.matches(':popover-open')) return;
    if (open) element.showPopover();
    else element.hidePopover();
  }, [open]);
  return (
    <>
      {cloneElement(props.trigger, {
        popoverTarget: id,
        'aria-haspopup': props.role,
        'aria-expanded': shown,
        'data-state': shown ? 'open' : 'closed',
      })}
      <div
        ref={panel}
        id={id}
        popover="auto"
        role={props.role}
        aria-label={props.label}
        tabIndex={-1}
        style={{ visibility: 'hidden' }}
        onBeforeToggle={(event) => {
          if (event.target !== event.currentTarget) return;
          const opens = event.newState === 'open';
          if (!opens) event.currentTarget.style.visibility = 'hidden';
          setShown(opens);
        }}
        onToggle={(event) => {
          if (event.target !== event.currentTarget) return;
          // Told only now: showing and hiding must not be asked for while the browser is at it.
          props.onOpenChange?.(event.newState === 'open');
          if (event.newState === 'open') settle();
        }}
        onKeyDown={(event) => {
          props.onKeyDown?.(event, close);
          if (event.key !== 'Escape' || event.defaultPrevented) return;
          // The page below has its own use of Escape.
          event.preventDefault();
          event.stopPropagation();
          close();
        }}
        onBlur={(event: FocusEvent<HTMLElement>) => {
          const to = event.relatedTarget;
          if (to instanceof Node && !event.currentTarget.contains(to) && to !== triggerOf(id)) close();
        }}
        className={cx(
          'fixed z-50 overflow-auto rounded-md border border-line bg-surface shadow-pop outline-none',
          props.className,
        )}
      >
        {shown && (typeof props.children === 'function' ? props.children(close) : props.children)}
      </div>
    </>
  );
}
