/** Which fields may explain a difference, and which only follow from it. */

/** One thing by several names: each of them tells rows that failed from rows that did not, whatever the reason. */
export const FAILURE: readonly string[] = ['status', 'status_message', 'error_type'];

/** Named for a single record: two rows never share one. Ids of users, tenants, hosts and such are kept. */
const ID_OF_RECORD =
  /(?:^|[._-])(?:response|request|message|completion|generation|call|invocation|operation|run|event|trace|span|correlation)[._-]?u?u?id$/i;
/** Attributes that only an answer has. */
const OF_ANSWER =
  /^attributes\.(?:gen_ai\.(?:response|usage|completion)\.|llm\.(?:usage|token_count|output_messages)\.|ai\.(?:response|usage)\.|output\.)/;
/** Fields that only an answer has. `model` is the build that answered, and of a failed call the name requested. */
const ANSWERED: ReadonlySet<string> = new Set(['finish_reason', 'response_model', 'model']);
/** Say the same as `model`, where both failed and answered calls are not told apart. */
const RESTATED: ReadonlySet<string> = new Set(['base_model', 'response_model']);

/**
 * Whether a field may be a cause of what was selected. @param field as filters name it @param failure whether the selection tells
 * failed from answered rows
 */
export function mayExplain(field: string, failure: boolean): boolean {
  if (ID_OF_RECORD.test(field)) return false;
  return failure ? !ANSWERED.has(field) && !OF_ANSWER.test(field) : !RESTATED.has(field);
}
