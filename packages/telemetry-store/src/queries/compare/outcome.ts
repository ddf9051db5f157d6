/** Which fields may explain a difference, and which only follow from it. */

/** One thing by several names: each of them tells rows that failed from rows that did not, whatever the reason. */
export const FAILURE: readonly string[] = ['status', 'status_message', 'error_type'];

/** Named for a single record: two rows never share one. Ids of users, tenants, hosts and such are kept. */
const ID_OF_RECORD =
  /(?:^|[._-])(?:response|request|message|completion|generation|call|invocation|operation|run|step|checkpoint|transaction|event|trace|span|correlation)[._-]?u?u?id$/i;
/** Attributes that only an answer has. */
const OF_ANSWER =
  /^attributes\.(?:gen_ai\.(?:response|usage|completion|cost)\.|gen_ai\.(?:client|server)\.(?:token|time_)|llm\.(?:usage|token_count|output_messages|cost)[._]|ai\.(?:response|usage)\.|output\.|langfuse\.observation\.(?:usage_details|cost_details|completion_start_time)|langsmith\.metadata\.usage_metadata|mlflow\.(?:spanOutputs|chat\.tokenUsage)|opik\.(?:usage|output)|genkit[:.]output|lmnr\.span\.output|(?:.*\.)?usage_object$)/;
/** Attributes that only a failure has: they say it in other words. */
const OF_FAILURE =
  /^attributes\.(?:(?:.*\.)?(?:error|exception)(?:[._]|$)|otel\.status_|http\.(?:response\.)?status_code$|rpc\.(?:.*\.)?status_code$|langfuse\.observation\.(?:level|status_message)$)/i;
/** Numbers that only an answer has. */
const ANSWERED_NUMBERS: ReadonlySet<string> = new Set(['output_tokens', 'cost', 'ttft_ms']);
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

/** Whether a field says of failed rows that they failed: it comes after those that may explain it. */
export const restatesFailure = (field: string): boolean => FAILURE.includes(field) || OF_FAILURE.test(field);

/** Whether a number may be a cause: of what failed there is none that only answers have. */
export const numberMayExplain = (field: string, failure: boolean): boolean =>
  !failure || !ANSWERED_NUMBERS.has(field);
