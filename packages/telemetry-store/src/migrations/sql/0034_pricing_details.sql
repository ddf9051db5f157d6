${add_column:otel_traces:`PricingDetails` String AFTER `EmitterCostUsd`}
${add_column:otel_logs:`PricingDetails` String AFTER `EmitterCostUsd`}
