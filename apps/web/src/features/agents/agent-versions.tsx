import { useMemo } from 'react';
import type { Place } from '../../api/agents.ts';
import type { ChartSeries } from '../../charts/prepare/time-chart.ts';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import { Button } from '../../ui/button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { Notice } from '../../ui/states.tsx';
import { ChartCard } from '../explore/chart-card.tsx';
import { TimeCell } from '../explore/cells.tsx';
import type { Agent } from './agent-overview.tsx';
import type { AgentSearch } from './agent-search.ts';
import { FiguresTable } from './figures-table.tsx';
import { VersionDiff } from './version-diff.tsx';
import { versionLabel } from './version-label.ts';

/** The versions of an agent over time, and what changed from one to another. */
export default function AgentVersions(props: {
  agent: Agent;
  place: Place;
  search: AgentSearch;
  onChange: (next: Partial<Record<keyof AgentSearch, string | undefined>>) => void;
}) {
  const { agent, place, search, onChange } = props;
  const versions = agent.byVersion;
  const series = useMemo(
    (): ChartSeries[] =>
      versions.map(({ version, name, model, trend }) => ({
        key: version,
        label: `${versionLabel({ version, name })} ${model}`,
        points: trend.map(({ time, count }) => ({ timeMs: Date.parse(time), value: count })),
      })),
    [versions],
  );
  const has = (version: string | undefined) => versions.some((one) => one.version === version);
  const newer = has(search.b) ? search.b : versions[0]?.version;
  const chosen = versions.find((one) => one.version === newer);
  const others = versions.filter((one) => one.version !== newer);
  // What changed is best seen against the version before it on the same model.
  const older = has(search.a)
    ? search.a
    : (others.find((one) => one.model === chosen?.model) ?? others[0])?.version;
  const named = versions.some(({ name }) => name !== null);
  if (versions.length === 0)
    return (
      <Notice title="No versions">
        <p>
          No model call in this time range names this agent. A version is read from the calls themselves:
          system prompt, tools, model and settings.
        </p>
      </Notice>
    );
  return (
    <div className="flex flex-col gap-3 p-3">
      <ChartCard title="Model calls by version" note="one colour a version">
        <TimeChart
          label="Model calls by version"
          kind="bars"
          missing="zero"
          height={140}
          window={place.window}
          stepSeconds={agent.bucketSeconds}
          series={series}
          total={agent.versions}
          onDrill={(_, version) => version !== undefined && onChange({ b: version })}
        />
      </ChartCard>
      <FiguresTable
        label="Versions"
        noun="Version"
        lines={versions.map(({ version, name, model, firstSeen, lastSeen, figures }) => ({
          key: version,
          name: (
            <span
              className={`grid items-center gap-3 ${
                named ? 'grid-cols-[5rem_4.5rem_9rem_15rem_auto]' : 'grid-cols-[4.5rem_11rem_15rem_auto]'
              }`}
            >
              {named && <MiddleTruncation name={name ?? ''} />}
              <code className="font-mono" title={version}>
                {version.slice(0, 8)}
              </code>
              <MiddleTruncation name={model} className="text-muted" />
              <span className="text-sm text-muted">
                <TimeCell iso={firstSeen} /> – <TimeCell iso={lastSeen} />
              </span>
              <span className="flex gap-1">
                <Button
                  className="h-6"
                  aria-pressed={version === older}
                  aria-label={`Compare from ${versionLabel({ version, name })}`}
                  onClick={() => onChange({ a: version })}
                >
                  from
                </Button>
                <Button
                  className="h-6"
                  aria-pressed={version === newer}
                  aria-label={`Compare to ${versionLabel({ version, name })}`}
                  onClick={() => onChange({ b: version })}
                >
                  to
                </Button>
              </span>
            </span>
          ),
          figures,
        }))}
        note={
          agent.versions > versions.length
            ? `The ${versions.length} seen last of ${agent.versions.toLocaleString('en-US')} versions. A prompt with the time or a name in it makes a version of each call.`
            : undefined
        }
      />
      {chosen !== undefined && (
        <VersionDiff
          place={place}
          agentKey={agent.key}
          older={versions.find(({ version }) => version === older && version !== newer)}
          newer={chosen}
        />
      )}
    </div>
  );
}
