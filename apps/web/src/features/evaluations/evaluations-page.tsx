import { getRouteApi } from '@tanstack/react-router';
import { PAGE_COLUMN } from '../../ui/page-column.ts';
import { TabList, TabPanel } from '../../ui/tabs.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { Annotation } from './annotation.tsx';
import { Datasets } from './datasets.tsx';
import type { EvaluationsSearch, EvaluationTab } from './evaluations-search.ts';
import { Evaluators } from './evaluators.tsx';
import { Experiments } from './experiments.tsx';
import { Overview } from './overview.tsx';

const route = getRouteApi('/evaluations');
const TABS: readonly { readonly value: EvaluationTab; readonly label: string }[] = [
  { value: 'overview', label: 'Scores' },
  { value: 'evaluators', label: 'Evaluators' },
  { value: 'datasets', label: 'Datasets' },
  { value: 'experiments', label: 'Experiments' },
  { value: 'annotation', label: 'Annotation' },
];

/** Whether the application got better or worse: scores, evaluators, datasets, experiments, annotation. */
export function EvaluationsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { can } = useWhoAsks();
  const tab = search.tab ?? 'overview';
  const change = (next: EvaluationsSearch) => void navigate({ search: next });
  const mayChange = can('member');
  return (
    <div className={PAGE_COLUMN}>
      <title>Evaluations · Candela</title>
      <h1 className="sr-only">Evaluations</h1>
      <div className="shrink-0 border-b border-line px-2">
        <TabList
          id="evaluations"
          label="Evaluations"
          tabs={TABS}
          value={tab}
          onChoose={(value) => change(value === 'overview' ? {} : { tab: value })}
        />
      </div>
      <TabPanel id="evaluations" value={tab} className="min-h-0 grow overflow-auto p-3">
        {tab === 'overview' && <Overview search={search} onChange={change} />}
        {tab === 'evaluators' && <Evaluators mayChange={mayChange} mayConfigure={can('admin')} />}
        {tab === 'datasets' && <Datasets search={search} mayChange={mayChange} onChange={change} />}
        {tab === 'experiments' && <Experiments search={search} mayChange={mayChange} onChange={change} />}
        {tab === 'annotation' && <Annotation mayChange={mayChange} />}
      </TabPanel>
    </div>
  );
}
