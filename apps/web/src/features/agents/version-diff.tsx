import type { AgentVersion, getAgentVersion, ResponseOf } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type Place, versionQuery } from '../../api/agents.ts';
import TextDiff from '../../ui/text-diff.tsx';
import { ChartCard } from '../explore/chart-card.tsx';
import { versionLabel } from './version-label.ts';

type Version = Pick<AgentVersion, 'version' | 'name'>;
type Content = ResponseOf<typeof getAgentVersion>['data'];

/** What a version consists of; with an older one, what changed since that. */
export function VersionDiff(props: {
  place: Place;
  agentKey: string;
  older: Version | undefined;
  newer: Version;
}) {
  const { place, agentKey, older, newer } = props;
  const to = useQuery(versionQuery(place, agentKey, newer.version));
  const from = useQuery({
    ...versionQuery(place, agentKey, older?.version ?? ''),
    enabled: older !== undefined,
  });
  const states = older === undefined ? [to] : [to, from];
  const before = older === undefined ? undefined : from.data;
  return (
    <ChartCard
      title={
        older === undefined
          ? `Version ${versionLabel(newer)}`
          : `From ${versionLabel(older)} to ${versionLabel(newer)}`
      }
      note={older === undefined ? 'the only version in this time range' : undefined}
      state={states}
    >
      {to.data && (
        <Contents
          before={before}
          after={to.data}
          names={[older === undefined ? '' : versionLabel(older), versionLabel(newer)]}
        />
      )}
    </ChartCard>
  );
}

function Contents(props: {
  before: Content | undefined;
  after: Content;
  /** Of the older and the newer version. */
  names: readonly [string, string];
}) {
  const { before, after, names } = props;
  const tools = useMemo(
    () => [toolsText(before?.tools ?? []), toolsText(after.tools)] as const,
    [before, after],
  );
  return (
    <div className="flex flex-col gap-4 p-1">
      <Part title="Model" names={names} before={before?.model} after={after.model} />
      <Part
        title="Settings"
        names={names}
        before={before && settingsText(before)}
        after={settingsText(after)}
      />
      <Part
        title="System prompt"
        names={names}
        before={before && (before.system ?? '')}
        after={after.system ?? ''}
      />
      <Part title="Declared tools" names={names} before={before && tools[0]} after={tools[1]} />
      <p className="text-sm text-muted">
        Read from{' '}
        <Link
          to="/traces/$traceId"
          params={{ traceId: after.traceId }}
          search={{ span: after.spanId }}
          className="text-accent underline"
        >
          the last call of the newer version
        </Link>
        .
      </p>
    </div>
  );
}

const settingsText = (content: Content): string =>
  content.settings.map(({ key, value }) => `${key} = ${value}`).join('\n');

const toolsText = (tools: Content['tools']): string =>
  tools
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(({ name, description, parameters }) =>
      [name, ...indented(description), ...indented(pretty(parameters))].join('\n'),
    )
    .join('\n\n');

const indented = (text: string): string[] => (text === '' ? [] : text.split('\n').map((line) => `  ${line}`));

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

function Part(props: {
  title: string;
  before: string | undefined;
  after: string;
  names: readonly [string, string];
}) {
  const { title, before, after, names } = props;
  const changed = before !== undefined && before !== after;
  return (
    <div>
      <h3 className="mb-1 text-sm text-muted">
        {title}
        {before !== undefined && (changed ? ' changed' : ' did not change')}
      </h3>
      {changed ? (
        <TextDiff
          label={title}
          before={{ name: names[0], text: before }}
          after={{ name: names[1], text: after }}
          className="max-h-96"
        />
      ) : after === '' ? (
        <p className="text-sm text-faint">nothing recorded</p>
      ) : (
        <pre
          tabIndex={0}
          aria-label={title}
          className="max-h-96 overflow-auto rounded border border-line bg-sunken p-2 font-mono text-sm whitespace-pre-wrap"
        >
          {after}
        </pre>
      )}
    </div>
  );
}
