import { useState } from 'react';
import { createScanner } from '../../api/scanners.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useShell } from '../shell/shell-search.ts';

const EVERY = [
  { value: '', label: 'Only when asked' },
  { value: '6', label: 'Every 6 hours' },
  { value: '24', label: 'Every day' },
  { value: '168', label: 'Every week' },
];

const listOf = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, 200);

/** A repository to scan. The token is sealed by the server and never comes back. */
export function NewScannerDialog({ onClose }: { onClose: () => void }) {
  const { environment } = useShell();
  const [form, setForm] = useState({
    name: '',
    target: '',
    ref: '',
    token: '',
    hours: '',
    detectors: '',
    allow: '',
    deny: '',
  });
  const set = (key: keyof typeof form) => (value: string) =>
    setForm((before) => ({ ...before, [key]: value }));
  const make = useApiMutation(
    () =>
      createScanner(environment, {
        name: form.name,
        target: form.target.trim(),
        ref: form.ref.trim() || null,
        detectors: form.detectors.trim(),
        licencePolicy: { allow: listOf(form.allow), deny: listOf(form.deny) },
        scheduleHours: form.hours === '' ? null : Number(form.hours),
        token: form.token.trim() || null,
      }),
    { touches: [['scanners']], onDone: onClose, forgets: true },
  );
  return (
    <FormDialog
      title="New scanner"
      action="Create"
      busy={make.isPending}
      error={make.error}
      ready={form.name.trim() !== '' && form.target.startsWith('https://')}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <TextField label="Name" value={form.name} onValue={set('name')} required maxLength={100} autoFocus />
      <TextField
        label="Repository"
        value={form.target}
        onValue={set('target')}
        placeholder="https://github.com/owner/name"
        hint="An https address. Other hosts than the public ones are added with PLATFORM_SCANNER_HOSTS."
        required
      />
      <TextField
        label="Branch or tag"
        value={form.ref}
        onValue={set('ref')}
        hint="Empty: the default branch."
      />
      <TextField
        label="Access token"
        type="password"
        autoComplete="off"
        value={form.token}
        onValue={set('token')}
        hint="For a private repository; read access is enough."
      />
      <SelectField label="Scan" value={form.hours} onValue={set('hours')} options={EVERY} />
      <TextField
        label="Detectors"
        value={form.detectors}
        onValue={set('detectors')}
        hint="Comma-separated; empty: all."
      />
      <TextField
        label="Allowed licences"
        value={form.allow}
        onValue={set('allow')}
        placeholder="MIT, Apache-2.0"
        hint="SPDX ids. Empty: all but network copyleft and non-commercial ones."
      />
      <TextField label="Denied licences" value={form.deny} onValue={set('deny')} />
    </FormDialog>
  );
}
