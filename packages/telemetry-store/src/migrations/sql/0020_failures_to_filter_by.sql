-- Lists of traces, sessions and users are filtered by what failed (of one provider, of one service) without asking the spans.
-- Column: rollups/value-hashes.ts. Both are filled anew.

${add_column:trace_figures:`FailedHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4)}
${backfill:trace_figures}

${add_column:session_figures:`FailedHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4)}
${backfill:session_figures}
