/** Expressions over the promoted GenAI columns that spans and logs share. */
export const MODEL_SQL = "if(GenAiResponseModel != '', GenAiResponseModel, GenAiRequestModel)";
export const INPUT_TOKENS_SQL = '(InputTokens + CacheReadTokens + CacheWriteTokens)';
export const OUTPUT_TOKENS_SQL = '(OutputTokens + ReasoningTokens)';
