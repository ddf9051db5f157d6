import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { catalogueQuery, controllersQuery } from '../../api/controller.ts';
import { Button } from '../../ui/button.tsx';
import { PAGE_COLUMN } from '../../ui/page-column.ts';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { useShell } from '../shell/shell-search.ts';
import { Collectors } from './collectors.tsx';
import { EnrolDialog } from './enrol-dialog.tsx';
import { History } from './history.tsx';
import { Instances } from './instances.tsx';
import { Services } from './services.tsx';
import { Tokens } from './tokens.tsx';

/** Programs that call models on machines with a controller, and the switches of zero-code instrumentation. */
export function ControllerPage() {
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const instances = useQuery(controllersQuery(environment));
  const services = useQuery(catalogueQuery(environment));
  const [enrolling, setEnrolling] = useState(false);
  const mayChange = can('admin');
  return (
    <div className={PAGE_COLUMN}>
      <title>Controller · Candela</title>
      <h1 className="sr-only">Controller</h1>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <p className="mr-auto text-sm text-muted">
          Sees model calls of programs that nobody changed. Off until somebody switches it on.
        </p>
        {mayChange && (
          <Button look="primary" onClick={() => setEnrolling(true)}>
            <Plus size={14} aria-hidden />
            Enrol a host
          </Button>
        )}
      </div>
      <div className="min-h-0 grow overflow-auto p-3">
        {instances.isPending || services.isPending ? (
          <SkeletonRows rows={4} label="Loading the controllers" />
        ) : instances.isLoadingError || services.isLoadingError ? (
          <Failure
            error={instances.error ?? services.error}
            onRetry={() => void Promise.all([instances.refetch(), services.refetch()])}
          />
        ) : (
          <div className="flex flex-col gap-6">
            {(instances.data ?? []).length === 0 ? (
              <Notice title="Enrol the first host">
                Run candela controller on a Linux host, a Docker host or a Kubernetes node. It lists programs
                that call vendors of models; nothing is read of them before it is switched on here.
              </Notice>
            ) : (
              <>
                <Services rows={services.data ?? []} instances={instances.data ?? []} mayChange={mayChange} />
                <Instances rows={instances.data ?? []} mayChange={mayChange} />
                <History />
              </>
            )}
            <Collectors mayChange={mayChange} />
            {mayChange && <Tokens />}
          </div>
        )}
      </div>
      {enrolling && <EnrolDialog onClose={() => setEnrolling(false)} />}
    </div>
  );
}
