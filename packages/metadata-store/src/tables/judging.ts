/** What evaluations are made of: evaluators, datasets, experiments, annotation queues, runs of the playground. */
export interface JudgeDocumentTable {
  id: string;
  kind: string;
  project_id: string;
  environment: string;
  name: string;
  /** `name` as it is compared: unique in its kind, project and environment. */
  name_key: string;
  /** JSON that the contract describes. */
  body: string;
  revision: number;
  created_by: string;
  created_at: number;
  updated_at: number;
}

/** Items of a document: of a dataset, an experiment, a queue. */
export interface JudgeItemTable {
  document_id: string;
  item_key: string;
  /** The revision of the document that this state of the item came with. */
  since: number;
  /** The revision that replaced it; null while it is the newest. */
  until: number | null;
  position: number;
  status: string;
  /** JSON. */
  body: string;
  updated_at: number;
}
