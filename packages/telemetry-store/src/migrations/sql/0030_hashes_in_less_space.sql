-- A list of traces or sessions that is filtered by a name or a model reads the hashes of all of them. The same few come again and again
-- with others between them, which LZ4HC finds: they take half the space of LZ4 and are unpacked sooner, for a tenth more work
-- when they are merged. Parts that are there change with their next merge.
ALTER TABLE ${table:trace_figures}${on_cluster}
  MODIFY COLUMN `ServiceHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `ModelHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `OperationHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `AgentHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `ProviderHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `NameHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `FailedHashes` CODEC(LZ4HC(3));

ALTER TABLE ${table:session_figures}${on_cluster}
  MODIFY COLUMN `ServiceHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `ModelHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `OperationHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `AgentHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `ProviderHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `NameHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `FailedHashes` CODEC(LZ4HC(3));
