-- Which keys of attributes are asked for, and what was done about it: attribute-columns/keeper.ts. Shared by all processes
-- that read this store, so that they come to the same decisions. Names of keys only: neither values nor whose they are.

CREATE TABLE IF NOT EXISTS ${database}.attribute_use${on_cluster}
(
  At DateTime64(3) DEFAULT now64(3),
  Kind LowCardinality(String),
  TableName LowCardinality(String),
  MapName LowCardinality(String),
  Key String,
  Asks UInt32
)
ENGINE = ${merge_tree_everywhere:attribute_use}
ORDER BY (Kind, At)
TTL toDateTime(At) + INTERVAL 14 DAY;
