${add_column:otel_traces:`PricingDetails` String}
${add_column:otel_logs:`PricingDetails` String}
