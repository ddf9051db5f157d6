-- Rollups that are filled anew, since what they hold of a row has changed:
-- - Durations of agents and of hosts' model calls are those of spans that have ended; what they hold has no other columns.
-- - Points of counters know since when they count, so that the first one of a series says something.
-- - Log records without a span are counted one by one, also those that nothing tells apart.
-- Columns: rollups/{agent-figures,host-calls,host-points,exceptions}.ts.

${backfill:agent_figures}

${backfill:host_calls}

${add_column:host_points:`SinceNs` SimpleAggregateFunction(max, Int64) CODEC(Delta(8), Default)}
${backfill:host_points}

${add_column:exceptions:`Records` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default)}
${backfill:exceptions}

-- Whose series it is, so that hosts are found without reading the attributes of all series: schema/host-points.ts. For series
-- stored before it is worked out in the background, and until then when it is read.
${add_column:metric_series:`Host` LowCardinality(String) MATERIALIZED coalesce(nullIf(ResourceAttributes['host.name'], ''), nullIf(ResourceAttributes['host.id'], ''), nullIf(ResourceAttributes['k8s.node.name'], ''), '')}
ALTER TABLE ${table:metric_series}${on_cluster} MATERIALIZE COLUMN Host SETTINGS mutations_sync = 0;
