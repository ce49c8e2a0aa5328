// What the finders of secrets share.

/** What `--redact` replaces, by the kind in `[redacted:jwt]`. */
export const secretKinds = {
  'private-key': 'private keys in PEM or PGP armour, whole or cut off, even with line numbers',
  'anthropic-key': 'sk-ant-…',
  'openai-key': 'sk-proj-…, sk-svcacct-…, sk-admin-…, sk- and 32 or more letters',
  'github-token': 'ghp_…, gho_…, ghu_…, ghs_…, ghr_…, github_pat_…',
  'gitlab-token': 'glpat-… and related tokens: deploy, runner, agent, feed, trigger and OAuth tokens',
  'slack-token': 'xoxb-…, xoxp-… and similar, xapp-…, the secret part of an incoming webhook URL',
  'aws-key': 'access key ids (AKIA…, ASIA…, ABIA…, ACCA…), session tokens, keys of Bedrock',
  'google-key': 'AIza…, GOCSPX-…, ya29.…, refresh tokens (1//0…)',
  'stripe-key': 'sk_live_…, sk_test_…, rk_…, whsec_…',
  'npm-token': 'npm_…',
  'pypi-token': 'pypi-…',
  'api-key':
    'keys of other services with a known format: Hugging Face, Groq, xAI, Perplexity, OpenRouter, Replicate, Tavily, LangSmith, Pinecone, NVIDIA, Cerebras, Together, ElevenLabs, Langfuse, DigitalOcean, Docker Hub, Netlify, Heroku, Render, Fly, Vercel, Neon, Deno, Cloudflare, Azure, Alibaba, Tencent, OpenShift, Linear, Notion, Figma, Atlassian, Airtable, Asana, Postman, Contentful, CircleCI, Buildkite, RubyGems, NuGet, crates.io, Clojars, SonarQube, Sourcegraph, Terraform, Pulumi, Infracost, New Relic, Dynatrace, LaunchDarkly, Shopify, Square, Braintree, Plaid, Supabase, PlanetScale, Doppler, Infisical, 1Password, Databricks, Grafana, Sentry, Vault, Tailscale, SendGrid, Resend, Brevo, Mailchimp, Mailgun, Twilio, Telegram, Discord, Facebook, Zapier, age and more',
  jwt: 'eyJ….eyJ….…, and encrypted ones with five parts',
  authorization: 'the value of an Authorization or Cookie header with any scheme, and the text after Bearer',
  credentials:
    'user and password in a URL, even with / or # in it or without its scheme, or a token in their place; curl -u; the auth of a docker config',
  password:
    'the value of a name that ends in password, passwd, pw, passphrase, secret, token, credentials, api_key, access_key, private_key or similar, in many languages, and the digits of a PIN or of a code that was sent, however it is given: in code, JSON, YAML (blocks, lists), TOML, SQL, XML, CSV and other tables, the environment, a Dockerfile, a header, a query or a flag, in a sentence or alone in the next line if it looks random; even in JSON in a text, after line numbers, file names, colours and diff marks; arguments of functions that sign, encrypt or connect; the flags of programs that take a password (docker login -p, redis-cli -a); the data of a Kubernetes secret; hashes of passwords; and every text under such a name',
} as const;

export type SecretKind = keyof typeof secretKinds;

/** A part of a text that is a secret. */
export interface Span {
  readonly kind: SecretKind;
  readonly start: number;
  readonly end: number;
}

/** The text with the secrets replaced. Spans that overlap are one. */
export function withoutSpans(text: string, spans: readonly Span[], keepsLines = false): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  const ordered = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  for (let index = 0; index < ordered.length; ) {
    const { kind, start, end } = ordered[index] ?? { kind: 'password', start: 0, end: 0 };
    let last = end;
    for (index += 1; (ordered[index]?.start ?? last) < last; index += 1)
      last = Math.max(last, ordered[index]?.end ?? 0);
    const lines = keepsLines ? text.slice(start, last).split('\n').length : 1;
    parts.push(text.slice(from, start), Array.from({ length: lines }, () => `[redacted:${kind}]`).join('\n'));
    from = last;
  }
  parts.push(text.slice(from));
  return parts.join('');
}
