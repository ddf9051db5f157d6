/** Boards of a project. */
export interface BoardTable {
  id: string;
  project_id: string;
  folder_id: string | null;
  title: string;
  title_key: string;
  description: string;
  /** JSON: a list of texts. */
  tags: string;
  /** JSON: widgets, variables and the refresh. */
  definition: string;
  widget_count: number;
  /** The person whose own it is; null: everybody of the project sees it. */
  owner_id: string | null;
  /** Goes up with every change. */
  revision: number;
  created_by: string;
  created_at: number;
  updated_by: string;
  updated_at: number;
}

export interface BoardFolderTable {
  id: string;
  project_id: string;
  parent_id: string | null;
  name: string;
  name_key: string;
  created_at: number;
}

/** A board that a person pinned; also a seeded one, which has no row of its own. */
export interface BoardPinTable {
  project_id: string;
  user_id: string;
  board_id: string;
  created_at: number;
}
