-- Lists of traces, sessions and users are filtered by the name of a span, too, without asking the spans; in FailedHashes are the
-- names of failed ones. Column: rollups/value-hashes.ts. Both are filled anew.

${add_column:trace_figures:`NameHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4) AFTER `ProviderHashes`}
${backfill:trace_figures}

${add_column:session_figures:`NameHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4) AFTER `ProviderHashes`}
${backfill:session_figures}
