/** What an answer of a model is judged by. Ids are what clients send and what rules are linked to. */
export const EVALUATION_TYPES = [
  { id: 'hallucination', label: 'Hallucination' },
  { id: 'bias', label: 'Bias' },
  { id: 'toxicity', label: 'Toxicity' },
  { id: 'relevance', label: 'Relevance' },
  { id: 'coherence', label: 'Coherence' },
  { id: 'faithfulness', label: 'Faithfulness' },
  { id: 'safety', label: 'Safety' },
  { id: 'instruction_following', label: 'Instruction Following' },
  { id: 'completeness', label: 'Completeness' },
  { id: 'conciseness', label: 'Conciseness' },
  { id: 'sensitivity', label: 'Sensitivity' },
] as const;
