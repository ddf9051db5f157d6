import type { ScannerView } from '@candela/contract';
import { useState } from 'react';
import { createScanner, updateScanner } from '../../api/scanners.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { CheckField, CheckList, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useShell } from '../shell/shell-search.ts';
import { DETECTORS } from './detectors.ts';
import { scannerBody, scannerDraft } from './scanner-draft.ts';

const EVERY = [
  { value: '', label: 'Only when asked' },
  { value: '6', label: 'Every 6 hours' },
  { value: '24', label: 'Every day' },
  { value: '168', label: 'Every week' },
];
const CHOICES = DETECTORS.map((value) => ({ value, label: value }));

/** Creates a scanner, or changes one. The token is sealed by the server and never comes back. */
export function ScannerDialog({
  scanner,
  onClose,
}: {
  scanner: ScannerView | undefined;
  onClose: () => void;
}) {
  const { environment } = useShell();
  const [draft, setDraft] = useState(() => scannerDraft(scanner));
  const set =
    <Key extends keyof typeof draft>(key: Key) =>
    (value: (typeof draft)[Key]) =>
      setDraft((before) => ({ ...before, [key]: value }));
  const { token, ...body } = scannerBody(draft, scanner);
  const save = useApiMutation(
    () =>
      scanner === undefined
        ? createScanner(environment, { ...body, token: token ?? null })
        : updateScanner(environment, scanner.id, {
            ...body,
            version: scanner.version,
            ...(token === undefined ? {} : { token }),
          }),
    { touches: [['scanners']], onDone: onClose, forgets: true },
  );
  const every = EVERY.some(({ value }) => value === draft.hours)
    ? EVERY
    : [...EVERY, { value: draft.hours, label: `Every ${draft.hours} hours` }];
  const moved = scanner?.hasToken === true && body.target !== scanner.target;
  return (
    <FormDialog
      title={scanner === undefined ? 'New scanner' : `Edit ${scanner.name}`}
      action={scanner === undefined ? 'Create' : 'Save'}
      busy={save.isPending}
      error={save.error}
      ready={
        body.name !== '' &&
        body.target.startsWith('https://') &&
        draft.detectors.length > 0 &&
        !(moved && token === undefined)
      }
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={draft.name}
        onValue={set('name')}
        required
        maxLength={100}
        autoFocus={scanner === undefined}
      />
      <TextField
        label="Repository"
        value={draft.target}
        onValue={set('target')}
        placeholder="https://github.com/owner/name"
        hint="An https address. Other hosts than the public ones are added with PLATFORM_SCANNER_HOSTS."
        required
      />
      <TextField
        label="Branch or tag"
        value={draft.ref}
        onValue={set('ref')}
        hint="Empty: the default branch."
      />
      <TextField
        label="Access token"
        type="password"
        autoComplete="off"
        value={draft.token}
        onValue={set('token')}
        disabled={draft.forgetToken}
        hint={
          moved
            ? 'The token was for another repository. Enter one for this repository, or remove it.'
            : scanner?.hasToken === true
              ? 'Empty: the token stays as it is.'
              : 'For a private repository; read access is enough.'
        }
      />
      {scanner?.hasToken === true && (
        <CheckField
          label="Remove the access token"
          checked={draft.forgetToken}
          onChange={set('forgetToken')}
        />
      )}
      <SelectField label="Scan" value={draft.hours} onValue={set('hours')} options={every} />
      <CheckList
        label="Detectors"
        options={CHOICES}
        chosen={draft.detectors}
        onChange={set('detectors')}
        hint={
          draft.detectors.length === 0
            ? 'Choose at least one.'
            : 'With all chosen, detectors of later versions run, too.'
        }
      />
      <CheckField
        label="Strict"
        hint="A scan with any finding fails, of whatever severity."
        checked={draft.strict}
        onChange={set('strict')}
      />
      <TextField
        label="Allowed licences"
        value={draft.allow}
        onValue={set('allow')}
        placeholder="MIT, Apache-2.0"
        hint="SPDX ids. Empty: all but network copyleft and non-commercial ones."
      />
      <TextField label="Denied licences" value={draft.deny} onValue={set('deny')} />
      <TextField
        label="Rules repository"
        value={draft.rulesRepo}
        onValue={set('rulesRepo')}
        placeholder="https://github.com/owner/rules"
        hint="A bundle of rules of your own, used beside the built-in ones."
      />
      {draft.rulesRepo.trim() !== '' && (
        <>
          <TextField label="Branch or tag of the rules" value={draft.rulesRef} onValue={set('rulesRef')} />
          <CheckField
            label="Require a signature"
            hint="Without a verified signature of the bundle the scan fails."
            checked={draft.requireSigned}
            onChange={set('requireSigned')}
          />
          <CheckField
            label="Use the copy of the last scan"
            hint="The bundle is not fetched again."
            checked={draft.noRulesUpdate}
            onChange={set('noRulesUpdate')}
          />
        </>
      )}
    </FormDialog>
  );
}
