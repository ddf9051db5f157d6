import type { ReactNode } from 'react';
import { cx } from '../lib/cx.ts';
import { Button } from './button.tsx';
import { ErrorLine } from './error-line.tsx';
import { Modal } from './modal.tsx';

/** Fields under each other; Enter sends them once. */
export function Form(props: {
  label: string;
  busy: boolean;
  onSubmit: () => void;
  className?: string;
  children: ReactNode;
}) {
  return (
    <form
      aria-label={props.label}
      className={cx('flex flex-col gap-3', props.className)}
      onSubmit={(event) => {
        event.preventDefault();
        if (!props.busy) props.onSubmit();
      }}
    >
      {props.children}
    </form>
  );
}

/** A form in the middle of the page: its title, its fields, what went wrong, and what it does. */
export function FormDialog(props: {
  title: string;
  action: string;
  busy: boolean;
  error: unknown;
  /** The form is complete enough to be sent. */
  ready?: boolean;
  wide?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Modal
      label={props.title}
      onClose={props.onClose}
      className={props.wide === true ? 'w-[min(720px,94vw)]' : 'w-[min(480px,94vw)]'}
    >
      <Form label={props.title} busy={props.busy} onSubmit={props.onSubmit} className="gap-0!">
        <h2 className="border-b border-line px-4 py-2.5 text-lg font-semibold">{props.title}</h2>
        <div className="flex max-h-[62vh] flex-col gap-3 overflow-y-auto p-4">{props.children}</div>
        <footer className="flex items-center gap-2 border-t border-line px-4 py-2.5">
          <ErrorLine error={props.error} className="mr-auto" />
          <Button className="ml-auto" onClick={props.onClose}>
            Cancel
          </Button>
          <Button look="primary" type="submit" disabled={props.busy || props.ready === false}>
            {props.action}
          </Button>
        </footer>
      </Form>
    </Modal>
  );
}

/** Names what goes and asks once. */
export function ConfirmDialog(props: {
  title: string;
  action: string;
  busy: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Modal label={props.title} onClose={props.onClose} className="w-[min(440px,94vw)]">
      <div className="flex flex-col gap-2 p-4">
        <h2 className="text-lg font-semibold">{props.title}</h2>
        <div className="text-muted">{props.children}</div>
        <ErrorLine error={props.error} />
      </div>
      <footer className="flex justify-end gap-2 border-t border-line px-4 py-2.5">
        <Button autoFocus onClick={props.onClose}>
          Cancel
        </Button>
        <Button look="danger" disabled={props.busy} onClick={props.onConfirm}>
          {props.action}
        </Button>
      </footer>
    </Modal>
  );
}
