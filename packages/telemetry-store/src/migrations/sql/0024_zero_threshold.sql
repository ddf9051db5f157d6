-- Exponential histograms say how wide their zero bucket is. Points stored before have a width of 0: what they were sent with is lost.

${add_column:otel_metrics_exponential_histogram:ZeroThreshold Float64 AFTER `ZeroCount`}
