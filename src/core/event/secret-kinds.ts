/** What `--redact` looks for, by the word it leaves behind: `[redacted:jwt]`. */
export const secretKinds = {
  'private-key': 'private keys in PEM or PGP armour, whole or cut off',
  'anthropic-key': 'sk-ant-…',
  'openai-key': 'sk-proj-…, sk-svcacct-…, sk-admin-…, sk- and 32 or more letters',
  'github-token': 'ghp_…, gho_…, ghu_…, ghs_…, ghr_…, github_pat_…',
  'gitlab-token': 'glpat-… and its kin: deploy, runner, agent, feed, trigger and OAuth tokens',
  'slack-token': 'xoxb-…, xoxp-… and the like, xapp-…, what follows in the address of an incoming webhook',
  'aws-key': 'access key ids: AKIA…, ASIA…, ABIA…, ACCA…',
  'google-key': 'AIza…, GOCSPX-…, ya29.…',
  'stripe-key': 'sk_live_…, sk_test_…, rk_…, whsec_…',
  'npm-token': 'npm_…',
  'pypi-token': 'pypi-…',
  'api-key':
    'keys of other services known by how they begin: Hugging Face, Groq, xAI, Perplexity, OpenRouter, Replicate, Tavily, LangSmith, Pinecone, DigitalOcean, Docker Hub, Linear, Notion, Figma, Atlassian, Postman, Shopify, Supabase, PlanetScale, Doppler, Databricks, Grafana, Sentry, Vault, SendGrid, Mailgun, Telegram, age',
  jwt: 'eyJ….eyJ….…',
  authorization: 'the value of an Authorization header, and what follows Bearer',
  credentials: 'user and password in a URL, or a token in their place',
  password:
    'what follows a name that ends in password, passwd, passphrase, secret, token, credentials, api_key, access_key, private_key and the like, in code, JSON, YAML, the environment, a query or a flag; and every text under such a name',
} as const;

export type SecretKind = keyof typeof secretKinds;
