import type { Connector, ConnectorCheck } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { checkConnector, migrateConnector } from '../../api/connectors.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Modal } from '../../ui/modal.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { When } from '../../ui/when.tsx';
import { Loaded } from './page.tsx';

const STEPS: Record<ConnectorCheck['steps'][number]['what'], string> = {
  reach: 'Reached',
  sign_in: 'Signed in',
  version: 'Version',
  functions: 'Functions and settings',
  privileges: 'Privileges',
  schema: 'Schema',
};

/** Whether a database answers and can do what is needed, step by step; and bringing its schema up to date. */
export function ConnectorCheckDialog({ connector, onClose }: { connector: Connector; onClose: () => void }) {
  const query = useQuery({
    queryKey: ['connector-check', connector.id],
    staleTime: 0,
    gcTime: 0,
    retry: false,
    queryFn: () => checkConnector(connector.id),
  });
  const migrate = useApiMutation(migrateConnector, {
    touches: [['connector-check', connector.id], ['connectors']],
  });
  const behind =
    query.data !== undefined &&
    query.data.schema !== null &&
    query.data.schema.applied < query.data.schema.needed;
  return (
    <Modal label={`Check of ${connector.name}`} onClose={onClose} className="w-[min(560px,94vw)]">
      <div className="flex max-h-[70vh] flex-col gap-3 overflow-y-auto p-4">
        <h2 className="text-lg font-semibold">Check of {connector.name}</h2>
        <Loaded query={query} label="the check">
          {(check) => (
            <>
              <ul aria-label="Steps" className="flex flex-col gap-2">
                {check.steps.map((step) => (
                  <li key={step.what} className="flex gap-2">
                    <span className="mt-1">
                      <StatusIcon status={step.ok ? 'ok' : 'error'} />
                    </span>
                    <span className="min-w-0">
                      <span className="font-medium">{STEPS[step.what]}</span>
                      <span className="block wrap-anywhere text-muted">{step.detail}</span>
                    </span>
                  </li>
                ))}
              </ul>
              <p className="text-sm text-muted">
                {check.engineVersion !== null && `Version ${check.engineVersion}. `}
                {check.schema !== null && `${check.schema.applied} of ${check.schema.needed} migrations. `}
                Checked <When time={check.checkedAt} />.
              </p>
            </>
          )}
        </Loaded>
        <ErrorLine error={migrate.error} />
      </div>
      <footer className="flex justify-end gap-2 border-t border-line px-4 py-2.5">
        {behind && (
          <Button look="primary" disabled={migrate.isPending} onClick={() => migrate.mutate(connector.id)}>
            Bring the schema up to date
          </Button>
        )}
        <Button busy={query.isFetching} onClick={() => void query.refetch()}>
          Check again
        </Button>
        <Button onClick={onClose}>Close</Button>
      </footer>
    </Modal>
  );
}
