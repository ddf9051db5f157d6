/** Where prompts, secrets, rules and contexts of a project are kept: one database configuration of it. */
export interface StorageScope {
  readonly projectId: string;
  readonly databaseConfigId: string;
}

/** How names are compared: whatever their case and the way their letters are composed. */
export const nameKeyOf = (name: string): string => name.normalize('NFKC').toLowerCase();

/** A pattern of LIKE with `\` as its escape: texts that hold this one. */
export const holding = (text: string): string => `%${nameKeyOf(text).replaceAll(/[\\%_]/g, '\\$&')}%`;
