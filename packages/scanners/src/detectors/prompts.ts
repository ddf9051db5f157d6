import { rulesDetector } from '../pattern-detector.ts';
import { isPython, isScript } from '../text.ts';

const MODEL_CALL =
  /\b(?:openai|anthropic|genai|litellm|langchain|mistral|cohere|ollama|generateText|streamText|ChatPromptTemplate)\b/i;

/** Prompts in code: user text that becomes instructions, and long texts that belong into the prompt hub. */
export const prompts = rulesDetector(
  'prompts',
  'Prompts in code',
  [
    {
      ruleId: 'user-text-in-system',
      severity: 'high',
      title: 'Text from outside becomes part of the system prompt',
      explanation:
        'Whoever writes that text writes instructions: the system prompt is where the model obeys most.',
      fix: 'Keep the system prompt constant and pass the text as a user message, marked as data.',
      where: isPython,
      form: /["']role["']\s*:\s*["'](?:system|developer)["']\s*,\s*["']content["']\s*:\s*(?:f["']{1,3}[^\n]{0,2000}?\{\s*(?:user|query|question|input|request|message|text|body|document|content)\w*|["'][^"'\n]{0,500}["']\s*\+\s*(?:user|query|question|input|request)\w*)/g,
    },
    {
      ruleId: 'user-text-in-system',
      severity: 'high',
      title: 'Text from outside becomes part of the system prompt',
      explanation:
        'Whoever writes that text writes instructions: the system prompt is where the model obeys most.',
      fix: 'Keep the system prompt constant and pass the text as a user message, marked as data.',
      where: isScript,
      form: /(?:role\s*:\s*["'](?:system|developer)["']\s*,\s*content|\bsystem)\s*:\s*`[^`]{0,2000}?\$\{\s*(?:user|query|question|input|req|request|message|text|body|document)\w*/g,
    },
    {
      ruleId: 'user-text-in-system',
      severity: 'high',
      title: 'Text from outside becomes part of the system prompt',
      explanation:
        'Whoever writes that text writes instructions: the system prompt is where the model obeys most.',
      fix: 'Keep the system prompt constant and pass the text as a user message, marked as data.',
      where: isPython,
      form: /\b(?:system|system_prompt|instructions|system_instruction)\s*=\s*f["']{1,3}[^\n]{0,2000}?\{\s*(?:user|query|question|input|request|message|document)\w*/g,
      when: (_, text) => MODEL_CALL.test(text),
    },
    {
      ruleId: 'secret-in-prompt',
      severity: 'high',
      title: 'A secret is put into a prompt',
      explanation: 'What a model reads it can be led to repeat, and prompts are logged.',
      fix: 'Let a tool use the secret; the model needs none.',
      form: /["'`](?:[^"'`\n]{0,300})(?:password|api[_ ]?key|secret|token)\s+(?:is|=|:)\s*(?:\{|\$\{)\s*\w*(?:password|key|secret|token)\w*\s*\}/gi,
    },
    {
      ruleId: 'long-prompt-in-code',
      severity: 'info',
      title: 'A long prompt stands in code',
      explanation: 'It cannot be changed, compared or rolled back without a release.',
      fix: 'Move it into the prompt hub and fetch it by name and label.',
      form: /(?:"""|'''|`)(?=[^`]{0,200}\b(?:You are|Your task|Act as|You must)\b)(?:(?!"""|'''|`)[\s\S]){1200,20000}(?:"""|'''|`)/g,
      when: (_, text) => MODEL_CALL.test(text),
    },
  ],
  (path) => isPython(path) || isScript(path),
);
