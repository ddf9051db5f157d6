import type { ChatPart } from '@candela/contract';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { PasswordField } from '../../ui/password-field.tsx';

type Tool = Extract<ChatPart, { kind: 'tool' }>;

/** What a tool wants to write: a person decides, and sees exactly what will be done. */
export function ApprovalCard(props: {
  tool: Tool;
  busy: boolean;
  onDecide: (id: string, body: { decision: 'approve' | 'deny'; value?: string }) => void;
}) {
  const { tool, busy, onDecide } = props;
  const [value, setValue] = useState('');
  const { approval } = tool;
  if (approval === null) return null;
  const needsValue = approval.wantsValue && value === '';
  return (
    <section
      aria-label={approval.title}
      className="flex flex-col gap-2 rounded-md border border-accent-fill bg-surface p-3"
    >
      <h3 className="flex flex-wrap items-center gap-2 font-medium wrap-anywhere">
        {approval.title}
        <Badge tone={approval.effect === 'delete' ? 'danger' : 'accent'}>{approval.effect}</Badge>
      </h3>
      <p className="text-sm text-muted">{approval.reason}</p>
      <pre className="max-h-64 overflow-auto rounded-md bg-sunken p-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere">
        {JSON.stringify(tool.input, null, 2)}
      </pre>
      {approval.wantsValue && (
        <PasswordField
          label="Value of the secret"
          value={value}
          onValue={setValue}
          kind="new"
          hint="It goes to the vault only. The model never sees it."
        />
      )}
      <div className="flex gap-2">
        <Button
          look={approval.effect === 'delete' ? 'danger' : 'primary'}
          busy={busy}
          disabled={needsValue}
          onClick={() => onDecide(approval.id, { decision: 'approve', ...(value === '' ? {} : { value }) })}
        >
          {approval.effect === 'delete' ? 'Delete' : approval.effect === 'create' ? 'Create' : 'Change'}
        </Button>
        <Button busy={busy} onClick={() => onDecide(approval.id, { decision: 'deny' })}>
          Do not
        </Button>
      </div>
    </section>
  );
}
