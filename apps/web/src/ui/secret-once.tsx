import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Modal } from './modal.tsx';

/** A text to copy whole: selected by a click, never cut. */
export function CopyBox({ label, text }: { label: string; text: string }) {
  return (
    <div className="flex items-center gap-2 rounded-md border border-line bg-sunken px-2 py-1.5">
      <code aria-label={label} className="min-w-0 grow font-mono text-sm break-all select-all">
        {text}
      </code>
      <CopyButton label={`Copy ${label.toLowerCase()}`} text={() => text} className="h-7 shrink-0 px-2">
        Copy
      </CopyButton>
    </div>
  );
}

/** Shows a secret for the only time; closes by its button alone, so that no stray click loses it. */
export function SecretOnce(props: {
  title: string;
  secrets: readonly { readonly label: string; readonly text: string }[];
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Modal label={props.title} onClose={props.onClose} stays className="w-[min(560px,94vw)]">
      <div className="flex flex-col gap-3 p-4">
        <h2 className="text-lg font-semibold">{props.title}</h2>
        <div className="text-muted">{props.children}</div>
        {props.secrets.map((secret) => (
          <div key={secret.label} className="flex flex-col gap-1">
            <h3 className="text-sm font-medium">{secret.label}</h3>
            <CopyBox label={secret.label} text={secret.text} />
          </div>
        ))}
      </div>
      <footer className="flex justify-end border-t border-line px-4 py-2.5">
        <Button look="primary" onClick={props.onClose}>
          Done
        </Button>
      </footer>
    </Modal>
  );
}
