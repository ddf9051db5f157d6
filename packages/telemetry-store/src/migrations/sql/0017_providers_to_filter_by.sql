-- Lists of traces, sessions and users are filtered by provider, too, without asking the spans.
-- Column: rollups/value-hashes.ts. Both are filled anew.

${add_column:trace_figures:`ProviderHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4)}
${backfill:trace_figures}

${add_column:session_figures:`ProviderHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4)}
${backfill:session_figures}
