// Where secrets really stand. The texts are in files of their own, one per line: ␤ is a line end, ␉ a tab, ␛ an escape.
// Nothing in them is real.
import { readFileSync } from 'node:fs';

function linesOf(name: string): string[] {
  // From the project's root, where tests and tools run: a tool is bundled elsewhere.
  const text = readFileSync(`test/core/privacy/secrets/${name}`, 'utf8');
  const shown = text.split('\n').filter((line) => line !== '');
  return shown.map((line) =>
    line.replaceAll('␤', '\n').replaceAll('␉', '\t').replaceAll('␍', '\r').replaceAll('␛', '\u001b'),
  );
}

/** Hand-written, by place. `§` is the secret. Each is tried with every one of `values`. */
export const places = new Map<string, string[]>();
for (const line of linesOf('contexts.txt')) {
  if (line.startsWith('== ')) places.set(line.slice(3), []);
  else [...places.values()].at(-1)?.push(line);
}

/** Values without a shape of their own. */
export const values = ['hunter2hunter', 'Xk9mP2vL5qR8', 's3cr3t-Passw0rd', 'Tr0ub4dor_3x', 'aGVsbG8xMjM0NTY3ODkw'];

/** Names that mean secret, in the spellings of many languages and tools. */
export const names = [
  'password PASSWORD Password passwd passphrase db_password DB_PASSWORD dbPassword db.password user-password',
  'POSTGRES_PASS DB_PW dbPw userPwd db_pwd secret SECRET client_secret clientSecret JWT_SECRET app.secret',
  'token TOKEN access_token accessToken ACCESS_TOKEN refresh_token authToken GITHUB_TOKEN bot-token npmToken',
  'api_key apiKey API_KEY api-key APIKEY access_key secret_key SECRET_ACCESS_KEY private_key signingKey',
  'encryption_key ENCRYPTION_KEY credentials password_2 PASSWORD_PROD TOKEN_OLD secretValue passwordConfirm',
].flatMap((line) => line.split(' '));

/** Ways of writing "is". `¤` is the name, `§` the value. Every name is tried in every way with every value. */
export const ways = linesOf('ways.txt');

/** Texts that look like secrets and are none. */
export const innocents = linesOf('innocent.txt');
