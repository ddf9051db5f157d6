import { entityKey } from '@candela/kernel';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { contextsQuery } from '../../api/contexts.ts';
import { viewsQuery } from '../../api/explore.ts';
import { promptsQuery } from '../../api/prompts.ts';
import { rulesQuery } from '../../api/rules.ts';
import { stringifySearch } from '../../lib/search-params.ts';
import { chooseTheme, THEMES } from '../../lib/theme.ts';
import { CALENDAR, PRESETS } from '../../lib/time-range.ts';
import { viewAddress } from '../../lib/view-search.ts';
import { zonePreference } from '../../lib/zone.ts';
import { useWhoAsks } from '../session/use-person.ts';
import { CommandPalette } from './command-palette.tsx';
import { type Command, traceIdIn } from './commands.ts';
import type { NavItem } from './navigation.ts';
import { useRefresh, useShell, validateShellSearch } from './shell-search.ts';

/** Pages of one record whose id may be any text. */
const BY_ID = [
  { path: '/sessions/$session', group: 'Session' },
  { path: '/users/$user', group: 'User' },
  { path: '/agents/$agent', group: 'Agent' },
  { path: '/metrics/$metric', group: 'Metric' },
] as const;

/** Prompts, contexts and rules that are found by their names here; of more the lists have the rest. */
const MOST_NAMES = 500;

/** Everything one can do, by name: pages, saved views, records by their id, time ranges, themes. */
export default function Palette(props: {
  items: readonly NavItem[];
  onClose: () => void;
  onKeys: () => void;
}) {
  const navigate = useNavigate();
  const router = useRouter();
  const { setRange, compare, rangeUse, setCompare, environment, project, setProject } = useShell();
  const refresh = useRefresh();
  const views = useQuery(viewsQuery());
  const { status, can } = useWhoAsks();
  const enabled = can('viewer');
  const projects = status?.person?.projects ?? status?.anonymous?.projects ?? [];
  const prompts = useInfiniteQuery({
    ...promptsQuery(environment, { q: '', tag: '' }, MOST_NAMES),
    enabled,
  });
  const contexts = useInfiniteQuery({
    ...contextsQuery(environment, { q: '', status: '' }, MOST_NAMES),
    enabled,
  });
  const rules = useInfiniteQuery({
    ...rulesQuery(environment, { q: '', status: '' }, MOST_NAMES),
    enabled,
  });
  const commands: Command[] = [
    ...props.items.map((item) => ({
      id: `page ${item.path}`,
      group: item.group,
      label: item.label,
      run: () => void navigate({ to: item.path }),
    })),
    ...(views.data ?? []).map((view) => ({
      id: `view ${view.id}`,
      group: 'Saved view',
      label: view.name,
      hint: view.page,
      run: () => router.history.push(viewAddress(view, project)),
    })),
    ...(projects.length < 2 ? [] : projects)
      .filter(({ id }) => id !== project)
      .map(({ id, name }) => ({
        id: `project ${id}`,
        group: 'Project',
        label: name,
        run: () => setProject(id),
      })),
    ...(prompts.data?.pages[0]?.data ?? []).map((prompt) => ({
      id: `prompt ${prompt.id}`,
      group: 'Prompt',
      label: prompt.name,
      ...(prompt.latestVersion === null ? {} : { hint: prompt.latestVersion }),
      run: () => void navigate({ to: '/prompts/$prompt', params: { prompt: prompt.id } }),
    })),
    ...(contexts.data?.pages[0]?.data ?? []).map((context) => ({
      id: `context ${context.id}`,
      group: 'Context',
      label: context.name,
      run: () => void navigate({ to: '/contexts/$context', params: { context: context.id } }),
    })),
    ...(rules.data?.pages[0]?.data ?? []).map((rule) => ({
      id: `rule ${rule.id}`,
      group: 'Rule',
      label: rule.name,
      run: () => void navigate({ to: '/rules/$rule', params: { rule: rule.id } }),
    })),
    ...(rangeUse === undefined ? [] : [...PRESETS, ...CALENDAR]).map((preset) => ({
      id: `range ${preset.from}`,
      group: 'Time range',
      label: preset.label,
      run: () => setRange({ from: preset.from, to: 'now' }),
    })),
    ...THEMES.map((theme) => ({
      id: `theme ${theme.value}`,
      group: 'Theme',
      label: theme.label,
      run: () => chooseTheme(theme.value),
    })),
    ...(rangeUse === undefined || rangeUse === 'shown'
      ? []
      : [
          {
            id: 'compare',
            group: 'Time range',
            label: compare ? 'Stop comparing with the period before' : 'Compare with the period before',
            run: () => setCompare(!compare),
          },
        ]),
    { id: 'zone utc', group: 'Times', label: 'Show UTC', run: () => zonePreference.set('utc') },
    { id: 'zone local', group: 'Times', label: 'Show local time', run: () => zonePreference.set('local') },
    { id: 'refresh', group: 'Page', label: 'Refresh', hint: 'r', run: refresh },
    { id: 'keys', group: 'Help', label: 'Keyboard shortcuts', hint: '?', run: props.onKeys },
  ];
  const extra = (query: string): { first: Command[]; last: Command[] } => {
    const traceId = traceIdIn(query);
    const text = query.trim();
    const open = (id: string): Command => ({
      id: 'trace',
      group: 'Trace',
      label: `Open ${id}`,
      run: () => void navigate({ to: '/traces/$traceId', params: { traceId: id } }),
    });
    const search: Command = {
      id: 'search',
      group: 'Traces',
      label: `Search for ${text}`,
      run: () => void navigate({ to: '/traces', search: { q: text } }),
    };
    if (traceId !== undefined) return { first: [open(traceId)], last: [] };
    if (text.length < 2) return { first: [], last: [] };
    // Time range and environment go along.
    const kept = stringifySearch({ ...validateShellSearch({ ...router.state.location.search }) });
    const byId = /\s/.test(text) ? [] : BY_ID.filter(({ path }) => Object.hasOwn(router.routesByPath, path));
    return {
      first: [],
      last: [
        search,
        ...byId.map(({ path, group }) => ({
          id: path,
          group,
          label: `Open ${text}`,
          run: () => router.history.push(path.replace(/\$\w+$/, entityKey(text)) + kept),
        })),
      ],
    };
  };
  return <CommandPalette commands={commands} extra={extra} onClose={props.onClose} />;
}
