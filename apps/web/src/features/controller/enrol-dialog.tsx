import { useState } from 'react';
import { createControllerToken } from '../../api/controller.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { useShell } from '../shell/shell-search.ts';

/** Makes an enrolment token and shows the command that uses it, once. */
export function EnrolDialog({ onClose }: { onClose: () => void }) {
  const { environment } = useShell();
  const [form, setForm] = useState({ cluster: 'default', uses: '1', hours: '24' });
  const [token, setToken] = useState<string>();
  const set = (key: keyof typeof form) => (value: string) =>
    setForm((before) => ({ ...before, [key]: value }));
  const make = useApiMutation(
    () =>
      createControllerToken(environment, {
        cluster: form.cluster.trim(),
        uses: Number(form.uses),
        hours: Number(form.hours),
      }),
    {
      touches: [['controller-tokens']],
      onDone: ({ data }) => setToken(data.token),
      forgets: true,
    },
  );
  if (token !== undefined) {
    return (
      <SecretOnce
        title="Enrolment token"
        secrets={[
          { label: 'Token', text: token },
          {
            label: 'Command',
            text: `CANDELA_ENROL_TOKEN=${token} candela controller --url ${window.location.origin}`,
          },
        ]}
        onClose={onClose}
      >
        <p>Copy it now: it is kept only as a hash. Each host that shows it gets a key of its own.</p>
      </SecretOnce>
    );
  }
  return (
    <FormDialog
      title="Enrol a host"
      action="Make a token"
      busy={make.isPending}
      error={make.error}
      ready={/^[A-Za-z0-9._-]+$/.test(form.cluster.trim()) && Number(form.uses) > 0 && Number(form.hours) > 0}
      onSubmit={() => make.mutate(undefined)}
      onClose={onClose}
    >
      <TextField
        label="Cluster"
        value={form.cluster}
        onValue={set('cluster')}
        hint="Hosts of one cluster share what is switched on."
        required
        autoFocus
      />
      <TextField label="Hosts" type="number" min={1} max={10_000} value={form.uses} onValue={set('uses')} />
      <TextField
        label="Valid for hours"
        type="number"
        min={1}
        max={8_760}
        value={form.hours}
        onValue={set('hours')}
      />
    </FormDialog>
  );
}
