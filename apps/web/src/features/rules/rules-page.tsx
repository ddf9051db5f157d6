import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { rulesQuery } from '../../api/rules.ts';
import { usePersistedSearch } from '../../lib/persisted-search.ts';
import { Segments } from '../../ui/segments.tsx';
import { ListPage } from '../build/list-page.tsx';
import { StartHere } from '../build/start-here.tsx';
import { useShell } from '../shell/shell-search.ts';
import { NewRule } from './new-rule.tsx';
import { RULE_COLUMNS } from './rule-columns.tsx';
import { persistedRules, type RulesSearch, STATUSES } from './rules-search.ts';
import { ruleSnippets } from './snippets.ts';

const route = getRouteApi('/rules/');

/** Conditions that decide who gets which context, prompt or evaluation. */
export function RulesPage() {
  const { environment } = useShell();
  const search = route.useSearch();
  const navigate = useNavigate();
  usePersistedSearch(persistedRules, search);
  const { search: text = '', status } = search;
  const query = useInfiniteQuery({
    ...rulesQuery(environment, { q: text, status: status ?? '' }),
    placeholderData: keepPreviousData,
  });
  const change = (next: { [Key in keyof RulesSearch]?: RulesSearch[Key] | undefined }) =>
    void navigate({
      from: '/rules/',
      search: (before) => ({ ...before, ...next }) as typeof before,
      replace: true,
    });
  const open = (id: string) => void navigate({ to: '/rules/$rule', params: { rule: id } });
  return (
    <ListPage
      noun="rule"
      nouns="rules"
      columns={RULE_COLUMNS}
      query={query}
      search={{
        text,
        placeholder: 'Part of a name or a description',
        onChange: (next) => change({ search: next }),
      }}
      narrowed={status}
      filters={
        <Segments
          label="Status"
          value={status ?? 'all'}
          choices={['all', ...STATUSES]}
          nameOf={(value) => value.toLowerCase()}
          onChoose={(value) => change({ status: value === 'all' ? undefined : value })}
        />
      }
      onShowAll={() => change({ search: undefined, status: undefined })}
      active={search.row}
      onActive={(row) => change({ row })}
      onOpen={open}
      start={
        <StartHere title="Write the first rule" snippets={ruleSnippets(location.origin)}>
          A rule is a set of conditions on fields, such as the model or the tier of a user. Applications ask
          which rules match and get what these return: contexts, prompts, evaluations. What a rule would have
          matched is shown on the spans that are here already.
        </StartHere>
      }
      creator={(onClose) => <NewRule onMade={open} onClose={onClose} />}
    />
  );
}
