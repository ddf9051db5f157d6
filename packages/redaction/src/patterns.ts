import { VENDORS } from './vendors.ts';

/** A kind of credential: what it contains literally (lower case), and its whole form. */
export interface Pattern {
  readonly kind: string;
  /** Lower-case literals; one of them is in every match. */
  readonly keywords: readonly string[];
  /** Global, without nested quantifiers. Group 1, where there is one, is kept in front of the mark. */
  readonly form: RegExp;
}

const token = (kind: string, prefix: string, body: string): Pattern => ({
  kind,
  keywords: [prefix.toLowerCase()],
  form: new RegExp(`(?<![A-Za-z0-9_])${prefix.replaceAll('.', '\\.')}${body}`, 'g'),
});

const W = '[A-Za-z0-9_-]';

/** Tokens with a form of their own: sure enough to be removed from every text. Forms are those the vendors publish. */
export const TOKENS: readonly Pattern[] = [
  ...['AKIA', 'ASIA', 'ABIA', 'ACCA'].map((prefix) =>
    token('aws-key', prefix, '[A-Z2-7]{16}(?![A-Za-z0-9])'),
  ),
  token('bedrock-key', 'ABSK', '[A-Za-z0-9+/]{40,}={0,2}'),
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) =>
    token('github-token', prefix, '[A-Za-z0-9]{30,}'),
  ),
  token('github-token', 'github_pat_', '[A-Za-z0-9_]{22,}'),
  ...['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glsoat-', 'glft-', 'glimt-', 'glagent-'].map(
    (prefix) => token('gitlab-token', prefix, `${W}{18,}`),
  ),
  ...['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxe-', 'xoxe.xoxp-', 'xapp-'].map((prefix) =>
    token('slack-token', prefix, '[A-Za-z0-9-]{10,}'),
  ),
  {
    kind: 'slack-webhook',
    keywords: ['hooks.slack.com'],
    form: /https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/_-]{20,}/g,
  },
  ...['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'].map((prefix) =>
    token('stripe-key', prefix, '[A-Za-z0-9+/=]{10,}'),
  ),
  token('anthropic-key', 'sk-ant-', `${W}{20,}`),
  token('openrouter-key', 'sk-or-', `${W}{20,}`),
  token('langfuse-key', 'sk-lf-', `${W}{20,}`),
  token('openai-key', 'sk-', `(?:proj-|svcacct-|admin-|None-)?${W}{32,}`),
  token('google-key', 'AIza', `${W}{35}`),
  token('google-token', 'ya29.', '[A-Za-z0-9_.-]{20,}'),
  token('google-secret', 'GOCSPX-', `${W}{28}`),
  token('groq-key', 'gsk_', '[A-Za-z0-9]{40,}'),
  token('xai-key', 'xai-', '[A-Za-z0-9]{40,}'),
  token('huggingface-token', 'hf_', '[A-Za-z0-9]{30,}'),
  token('replicate-token', 'r8_', '[A-Za-z0-9]{30,}'),
  token('perplexity-key', 'pplx-', '[A-Za-z0-9]{40,}'),
  token('age-key', 'AGE-SECRET-KEY-1', '[A-Z0-9]{58}'),
  ...['dop_v1_', 'doo_v1_', 'dor_v1_'].map((prefix) => token('digitalocean-token', prefix, '[a-f0-9]{64}')),
  token('sendgrid-key', 'SG.', '[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}'),
  token('twilio-key', 'SK', '[0-9a-fA-F]{32}(?![0-9A-Za-z])'),
  token('databricks-token', 'dapi', '[0-9a-f]{32}'),
  token('pypi-token', 'pypi-AgEI', `${W}{50,}`),
  token('npm-token', 'npm_', '[A-Za-z0-9]{36}'),
  ...['shpat_', 'shpca_', 'shppa_', 'shpss_'].map((prefix) =>
    token('shopify-token', prefix, '[A-Fa-f0-9]{32}'),
  ),
  ...['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.'].map((prefix) =>
    token('doppler-token', prefix, '[A-Za-z0-9._-]{32,}'),
  ),
  token('linear-key', 'lin_api_', '[A-Za-z0-9]{30,}'),
  token('notion-token', 'ntn_', '[A-Za-z0-9]{30,}'),
  ...['hvs.', 'hvb.', 'hvr.'].map((prefix) => token('vault-token', prefix, `${W}{20,}`)),
  token('supabase-token', 'sbp_', '[a-f0-9]{40}'),
  token('docker-token', 'dckr_pat_', `${W}{20,}`),
  token('terraform-token', 'atlasv1.', '[A-Za-z0-9_=-]{30,}'),
  token('grafana-token', 'glsa_', '[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}'),
  token('grafana-token', 'glc_', '[A-Za-z0-9+/]{32,}={0,2}'),
  token('figma-token', 'figd_', `${W}{30,}`),
  token('planetscale-token', 'pscale_tkn_', '[A-Za-z0-9_.-]{32,}'),
  token('postman-key', 'PMAK-', '[a-f0-9]{24}-[a-f0-9]{34}'),
  token('newrelic-key', 'NRAK-', '[A-Z0-9]{27}'),
  token('sentry-token', 'sntrys_', '[A-Za-z0-9+/=_-]{40,}'),
  token('sentry-token', 'sntryu_', '[a-f0-9]{64}'),
  token('atlassian-token', 'ATATT3', '[A-Za-z0-9_=-]{40,}'),
  token('fly-token', 'FlyV1 fm', '[A-Za-z0-9+/=,_-]{40,}'),
  token('vercel-token', 'vercel_blob_rw_', `${W}{30,}`),
  token('telegram-token', 'bot', '[0-9]{8,10}:AA[A-Za-z0-9_-]{33}'),
  token('candela-key', 'cdl_', `${W}{24,}`),
  ...VENDORS.map(([kind, prefix, body]) => token(kind, prefix, body)),
  {
    kind: 'azure-secret',
    keywords: ['q~'],
    form: /(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])/g,
  },
  {
    kind: 'authress-key',
    keywords: ['.acc_', '.acc-'],
    form: /(?<![A-Za-z0-9_])(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,120}/gi,
  },
  {
    kind: 'maxmind-key',
    keywords: ['_mmk'],
    form: /(?<![A-Za-z0-9_])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9_])/g,
  },
  {
    kind: 'teams-webhook',
    keywords: ['webhook.office.com'],
    form: /https:\/\/[a-z0-9-]{1,63}\.webhook\.office\.com\/webhookb2\/[A-Za-z0-9@/-]{60,300}/gi,
  },
  {
    kind: 'gitlab-session',
    keywords: ['_gitlab_session='],
    form: /(_gitlab_session=)[0-9a-z]{32}/g,
  },
  {
    kind: 'mailchimp-key',
    keywords: ['-us'],
    form: /(?<![A-Za-z0-9_-])[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9_-])/g,
  },
  {
    kind: 'jwt',
    keywords: ['eyj'],
    form: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
  },
  {
    kind: 'private-key',
    keywords: ['private key'],
    // Also where the end was cut away.
    form: /-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END)[\s\S]){0,20000}(?:-----END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g,
  },
  {
    kind: 'authorization',
    keywords: ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'],
    form: /((?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:(?:basic|bearer|token|apikey|digest)\s{1,4})?|x-(?:goog-)?api-key["']?\s{0,4}[:=]\s{0,4}["']?|["']api-key["']\s{0,4}:\s{0,4}["'])(?!\$|\[REDACTED|(?:basic|bearer|token)\b|\/[a-z0-9_./-]{1,200}["'])[A-Za-z0-9+/=._~-]{8,}/gi,
  },
  {
    kind: 'bearer',
    keywords: ['bearer '],
    form: /(\bbearer\s{1,4})(?=[A-Za-z0-9+/=._~-]{0,200}[0-9])[A-Za-z0-9+/=._~-]{20,}/gi,
  },
  {
    kind: 'cookie',
    keywords: ['cookie'],
    form: /(\b(?:set-)?cookie["']?\s{0,2}:\s{0,4}["']?)[A-Za-z0-9_.-]{1,100}=[^\r\n"']{8,4000}/gi,
  },
  {
    kind: 'curl-user',
    keywords: ['curl'],
    form: /(\bcurl\b[^\r\n|;&]{0,300}?\s(?:-u|--user)[\s=]["']?[A-Za-z0-9._@%+-]{1,100}:)[^\s"'$]{3,200}/g,
  },
  {
    kind: 'url-password',
    keywords: ['://'],
    form: /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"'<>`$({]{0,100}:)(?![$<{*]|password@|secret@)[^\s/@"'<>`$({]{3,200}(?=@[A-Za-z0-9[])/gi,
  },
  {
    kind: 'url-key',
    keywords: ['key=', 'token=', 'secret=', 'signature=', 'sig='],
    form: /([?&](?:api[_-]?key|key|access[_-]?token|auth[_-]?token|token|client[_-]?secret|secret|x-amz-signature|signature|sig)=)[A-Za-z0-9%+/=._~-]{16,}/gi,
  },
  {
    kind: 'azure-key',
    keywords: ['accountkey=', 'sharedaccesskey='],
    form: /((?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{40,}={0,2}/g,
  },
  {
    kind: 'google-key-id',
    keywords: ['private_key_id'],
    form: /("private_key_id"\s{0,4}:\s{0,4}")[a-f0-9]{40}/g,
  },
];

/** `password = "..."` and its like: by the name of what is assigned. Tier 2 only: text about passwords has such lines. */
export const ASSIGNMENTS: readonly Pattern[] = [
  {
    kind: 'assignment',
    keywords: [
      'passw',
      'pwd',
      'secret',
      'token',
      'api_key',
      'apikey',
      'api-key',
      'access_key',
      'accesskey',
      '_key',
      '-key',
      'credential',
    ],
    form: /((?<![A-Za-z])(?:[A-Za-z0-9_.-]{0,40}[_.-])?(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key(?:[_-]?id)?|private[_-]?key|secret[_-]?key|(?:auth|signing|encryption|licen[cs]e|consumer|global|service|account)[_-]key|credentials?)["']?\s{0,4}(?:=|:|=>|:=)\s{0,4}["'`]?)(?=[^\s"'`]{0,200}[0-9!@#%^*+/])(?!\$|\[REDACTED|https?:|\/[a-z0-9_./-]{1,200}["'])[A-Za-z0-9!@#%^*+/=_~-][A-Za-z0-9!@#$%^&*+/=_~-]{7,500}(?=["'`\s,;)}\\]|$)/gi,
  },
];
