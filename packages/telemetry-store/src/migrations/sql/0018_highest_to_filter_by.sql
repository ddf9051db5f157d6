-- Lists of traces, sessions and users are filtered by what is beyond a limit (a duration, a cost, tokens) without asking
-- the spans. Columns: rollups/highest.ts. Both are filled anew.

${add_column:trace_figures:`LongestSpan` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4)}
${add_column:trace_figures:`DearestSpan` SimpleAggregateFunction(max, Float64) CODEC(LZ4)}
${add_column:trace_figures:`MostInput` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4)}
${add_column:trace_figures:`MostOutput` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4)}
${backfill:trace_figures}

${add_column:session_figures:`LongestSpan` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4)}
${add_column:session_figures:`DearestSpan` SimpleAggregateFunction(max, Float64) CODEC(LZ4)}
${add_column:session_figures:`MostInput` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4)}
${add_column:session_figures:`MostOutput` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4)}
${backfill:session_figures}
