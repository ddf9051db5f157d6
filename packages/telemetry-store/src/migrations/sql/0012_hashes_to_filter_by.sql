-- What lists of traces, sessions and users are only filtered by is kept as hashes, which cost a fraction of texts to read and
-- to compare; sessions and users know services and operations too, so that spans need not be asked.
-- Columns: rollups/value-hashes.ts. Both are filled anew.

${drop_column:trace_figures:Services}
${drop_column:trace_figures:Models}
${drop_column:trace_figures:Operations}
${drop_column:trace_figures:Agents}
${add_column:trace_figures:`ServiceHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4)}
${add_column:trace_figures:`ModelHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4)}
${add_column:trace_figures:`OperationHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4)}
${add_column:trace_figures:`AgentHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4)}
${backfill:trace_figures}

${add_column:activity:`ServiceHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4)}
${add_column:activity:`ModelHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4)}
${add_column:activity:`OperationHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4)}
${add_column:activity:`AgentHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4)}
${backfill:activity}
