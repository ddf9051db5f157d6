const MAX_BYTES = 16 << 20;

/** Of a request's head, which holds the values of a statement, written for a URL. */
export const MAX_HEAD_BYTES: number = MAX_BYTES;

/**
 * Bytes and parts of a reading statement. The engine's own bounds (256 KiB, 50,000 parts) are lower than what the largest
 * filter that the contract lets pass (`FILTER_LIMITS`) becomes: of a word beyond ASCII every spelling is looked for, in each
 * kind of text, and some statements hold the filter several times. `queries/core/filter-size.platform.test.ts` asks for
 * all of these. The embedded engine is given the values in a statement of their own, which is bounded as well.
 */
export const STATEMENT_SIZE = {
  max_query_size: String(MAX_BYTES),
  max_ast_elements: '500000',
  max_expanded_ast_elements: '2000000',
} as const;
