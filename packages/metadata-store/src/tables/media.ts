/** Images, sounds and files that messages refer to. */
export interface MediaTable {
  project_id: string;
  /** Made of the SHA-256 of the content, by the sender too. */
  id: string;
  content_type: string;
  /** Length of the content. */
  bytes: number;
  /** In base64. */
  sha256: string;
  /** When it was announced last: retention counts from there. */
  used_at: number;
  /** Null: the content is not here (yet). */
  stored_at: number | null;
  /** What the sender says went wrong with it. */
  failure: string | null;
}

/** Content of media, in pieces that are read and sent one by one. */
export interface MediaChunkTable {
  project_id: string;
  media_id: string;
  position: number;
  body: Uint8Array;
}

/** Spans that media was sent for. */
export interface MediaUseTable {
  project_id: string;
  media_id: string;
  /** Empty: an item of a dataset, whose id is in the other column. */
  trace_id: string;
  /** Empty: the trace as a whole. */
  span_id: string;
  used_at: number;
}
