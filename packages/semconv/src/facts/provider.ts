/** One spelling for providers, and the provider behind a model name when nobody names it. */

const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['az.ai.inference', 'azure'],
  ['az.ai.openai', 'azure'],
  ['azure.ai.inference', 'azure'],
  ['azure.ai.openai', 'azure'],
  ['azure_openai', 'azure'],
  ['azure-openai', 'azure'],
  ['azureopenai', 'azure'],
  ['azure_ai', 'azure'],
  ['aws', 'aws.bedrock'],
  ['aws_bedrock', 'aws.bedrock'],
  ['amazon_bedrock', 'aws.bedrock'],
  ['amazon-bedrock', 'aws.bedrock'],
  ['bedrock', 'aws.bedrock'],
  ['bedrock_converse', 'aws.bedrock'],
  ['gcp.gemini', 'google'],
  ['gcp.vertex_ai', 'google'],
  ['gcp.gen_ai', 'google'],
  ['vertex_ai', 'google'],
  ['vertexai', 'google'],
  ['google_vertexai', 'google'],
  ['google_genai', 'google'],
  ['google_generative_ai', 'google'],
  ['google-vertex', 'google'],
  ['google-genai', 'google'],
  ['gemini', 'google'],
  ['googleai', 'google'],
  ['google_ai', 'google'],
  ['gcp.vertex.agent', 'google'],
  ['mistralai', 'mistral'],
  ['mistral_ai', 'mistral'],
  ['x_ai', 'xai'],
  ['x-ai', 'xai'],
  ['x.ai', 'xai'],
  ['grok', 'xai'],
  ['together_ai', 'together'],
  ['togetherai', 'together'],
  ['deep_infra', 'deepinfra'],
  ['open_router', 'openrouter'],
  ['vercel_ai_gateway', 'ai-gateway'],
  ['vercel-ai-gateway', 'ai-gateway'],
  ['gateway', 'ai-gateway'],
  ['fireworks_ai', 'fireworks'],
  ['fireworksai', 'fireworks'],
  ['moonshotai', 'moonshot'],
  ['moonshot_ai', 'moonshot'],
  ['dashscope', 'alibaba'],
  ['qwen', 'alibaba'],
  ['alibaba_cloud', 'alibaba'],
  ['tongyi', 'alibaba'],
  ['ibm.watsonx.ai', 'ibm.watsonx'],
  ['watsonx', 'ibm.watsonx'],
  ['huggingface', 'hugging_face'],
  ['hugging-face', 'hugging_face'],
  ['meta-llama', 'meta'],
  ['voyageai', 'voyage'],
  ['voyage_ai', 'voyage'],
  ['zai', 'zhipu'],
  ['z-ai', 'zhipu'],
  ['zhipuai', 'zhipu'],
  ['nvidia_nim', 'nvidia'],
  ['nvidia_ai_endpoints', 'nvidia'],
  ['cohere_chat', 'cohere'],
  ['perplexityai', 'perplexity'],
  ['deepseek_ai', 'deepseek'],
  ['deepseek-ai', 'deepseek'],
]);

/** Frameworks that some emitters put where the provider belongs; the model's own provider is the better answer. */
const FRAMEWORKS: ReadonlySet<string> = new Set([
  'langchain',
  'llamaindex',
  'llama_index',
  'litellm',
  'vercel',
  'langgraph',
  'claude_code',
  'claude-code',
  'codex',
  'unknown',
  '_other',
  'ag2',
  'agno',
  'anthropic_agent_sdk',
  'autogen',
  'beeai',
  'beeai_framework',
  'browser_use',
  'camel',
  'claude_agent_sdk',
  'crewai',
  'dspy',
  'embabel',
  'genkit',
  'google_adk',
  'haystack',
  'instructor',
  'koog',
  'laminar',
  'langchain4j',
  'langchain_core',
  'langfuse',
  'langsmith',
  'letta',
  'litellm_proxy',
  'livekit',
  'logfire',
  'mastra',
  'mcp',
  'microsoft.agent_framework',
  'microsoft.agents.ai',
  'microsoft.extensions.ai',
  'mlflow',
  'openai_agents',
  'openai_agents_sdk',
  'openlit',
  'opik',
  'pipecat',
  'prompt_flow',
  'promptflow',
  'pydantic_ai',
  'semantic_kernel',
  'smolagents',
  'spring_ai',
  'strands',
  'strands_agents',
  'traceloop',
  'vercel_ai_sdk',
]);

/** Whose machine a call went to, where a client speaks the protocol of another vendor: the end of the host's name. */
const HOSTS: readonly (readonly [string, string])[] = [
  ['api.deepinfra.com', 'deepinfra'],
  ['api.groq.com', 'groq'],
  ['api.together.xyz', 'together'],
  ['api.together.ai', 'together'],
  ['api.fireworks.ai', 'fireworks'],
  ['openrouter.ai', 'openrouter'],
  ['ai-gateway.vercel.sh', 'ai-gateway'],
  ['api.deepseek.com', 'deepseek'],
  ['api.moonshot.ai', 'moonshot'],
  ['api.moonshot.cn', 'moonshot'],
  ['.aliyuncs.com', 'alibaba'],
  ['api.mistral.ai', 'mistral'],
  ['api.x.ai', 'xai'],
  ['api.perplexity.ai', 'perplexity'],
  ['api.anthropic.com', 'anthropic'],
  ['api.cohere.com', 'cohere'],
  ['api.cohere.ai', 'cohere'],
  ['api.z.ai', 'zhipu'],
  ['open.bigmodel.cn', 'zhipu'],
  ['api.minimax.io', 'minimax'],
  ['generativelanguage.googleapis.com', 'google'],
  ['aiplatform.googleapis.com', 'google'],
  ['.openai.azure.com', 'azure'],
  ['.cognitiveservices.azure.com', 'azure'],
  ['.services.ai.azure.com', 'azure'],
  ['.models.ai.azure.com', 'azure'],
  ['models.github.ai', 'github'],
  ['api.githubcopilot.com', 'github_copilot'],
  ['api.cerebras.ai', 'cerebras'],
  ['api.sambanova.ai', 'sambanova'],
  ['api.novita.ai', 'novita'],
  ['api.hyperbolic.xyz', 'hyperbolic'],
  ['api.studio.nebius.ai', 'nebius'],
  ['api.tokenfactory.nebius.com', 'nebius'],
  ['integrate.api.nvidia.com', 'nvidia'],
  ['router.huggingface.co', 'hugging_face'],
  ['api.siliconflow.cn', 'siliconflow'],
  ['api.siliconflow.com', 'siliconflow'],
  ['inference.baseten.co', 'baseten'],
];
const BEDROCK_HOST = /^bedrock-runtime[\w.-]*\.amazonaws\.com(\.cn)?$/;
/** Clients that are pointed at other hosts than their vendor's. */
const POINTED_ELSEWHERE: ReadonlySet<string> = new Set(['', 'openai', 'anthropic']);

/**
 * The provider behind a call: that of the host it went to, where that is known and the client names its own vendor or
 * nobody. @param address a host name or an address with one
 */
export function hostProvider(provider: string, address: string): string {
  if (address === '' || !POINTED_ELSEWHERE.has(provider)) return provider;
  const host = address
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/[/:?].*$/, '');
  if (BEDROCK_HOST.test(host)) return 'aws.bedrock';
  return (
    HOSTS.find(
      ([end]) =>
        host === end ||
        host.endsWith(end.startsWith('.') ? end : `.${end}`) ||
        (end === 'aiplatform.googleapis.com' && host.endsWith(`-${end}`)),
    )?.[1] ?? provider
  );
}

const BY_MODEL: readonly (readonly [RegExp, string])[] = [
  [
    /^(gpt-|chatgpt|o[134](-|$)|text-embedding-(3|ada)|dall-e|tts-1|whisper|codex|davinci|babbage|computer-use|omni-mod)/,
    'openai',
  ],
  [/^claude/, 'anthropic'],
  [/^(gemini|gemma|imagen|veo|text-embedding-00|textembedding-gecko)/, 'google'],
  [/^(mistral|mixtral|codestral|ministral|pixtral|magistral|devstral|voxtral|open-mi)/, 'mistral'],
  [/^(command|embed-(english|multilingual|v4)|rerank|c4ai|aya)/, 'cohere'],
  [/^deepseek/, 'deepseek'],
  [/^grok/, 'xai'],
  [/^(sonar|pplx)/, 'perplexity'],
  [/^(qwen|qwq|qvq|text-embedding-v)/, 'alibaba'],
  [/^(kimi|moonshot)/, 'moonshot'],
  [/^voyage/, 'voyage'],
  [/^(llama|meta-llama)/, 'meta'],
  [/^(nemotron|nv-embed)/, 'nvidia'],
  [/^(amazon\.|titan|nova-)/, 'aws.bedrock'],
  [/^(glm|chatglm)/, 'zhipu'],
  [/^(jamba|j2-)/, 'ai21'],
  [/^(granite|ibm\/)/, 'ibm.watsonx'],
  [/^(composer|auto$)/, 'cursor'],
];

const SUFFIX =
  /[./](chat|responses|completion|completions|messages|embedding|embeddings|textembedding|image|speech|transcription|generative-ai|object-generation|language-model)$/;
const cache = new Map<string, string>();

/** Canonical provider of an emitter's spelling: lower case, `openai.chat` without its suffix, known synonyms merged. */
export function canonicalProvider(name: string): string {
  if (name === '') return '';
  const known = cache.get(name);
  if (known !== undefined) return known;
  let id = name.toLowerCase().trim().replaceAll(' ', '_');
  if (!PROVIDERS.has(id)) id = id.replace(SUFFIX, '');
  if (id.startsWith('google.')) id = 'google';
  else if (id.startsWith('azure-openai') || id.startsWith('azure.')) id = 'azure';
  id = PROVIDERS.get(id) ?? id;
  if (FRAMEWORKS.has(id) || FRAMEWORKS.has(id.replaceAll('-', '_'))) id = '';
  return remember(cache, name, id);
}

/** Hosts that stand before the name of a model: `deepinfra/moonshotai/Kimi-K2.5`. */
const HOST_NAMES: ReadonlySet<string> = new Set([
  ...HOSTS.map(([, id]) => id),
  'ollama',
  'vllm',
  'replicate',
]);
const modelCache = new Map<string, string>();

/** Who makes this model, by its name; '' when the name tells nothing. */
export function providerOfModel(model: string): string {
  if (model === '') return '';
  const known = modelCache.get(model);
  if (known !== undefined) return known;
  let name = model.toLowerCase();
  let provider = '';
  const slash = name.indexOf('/');
  if (slash > 0) {
    const prefix = PROVIDERS.get(name.slice(0, slash)) ?? name.slice(0, slash);
    if (BY_MODEL.some(([, id]) => id === prefix) || HOST_NAMES.has(prefix)) provider = prefix;
    name = name.slice(name.lastIndexOf('/') + 1);
  }
  if (
    provider === '' &&
    /^(([a-z]{2,6}\.)?(anthropic|amazon|meta|mistral|cohere|ai21|deepseek|qwen|openai)\.)/.test(name)
  ) {
    provider = 'aws.bedrock';
  }
  if (provider === '') provider = BY_MODEL.find(([pattern]) => pattern.test(name))?.[1] ?? '';
  return remember(modelCache, model, provider);
}

/** Names come from outside, so the memory of them is bounded: full means start again. */
function remember(memory: Map<string, string>, key: string, value: string): string {
  if (memory.size >= 2000) memory.clear();
  if (key.length <= 512) memory.set(key, value);
  return value;
}
