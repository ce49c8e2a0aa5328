// The ways of writing "is" between a name and its value.

export interface Way {
  /** What is between the name and the value. */
  readonly between: RegExp;
  /** What has to end right before the name, of the 120 characters there. */
  readonly before?: RegExp;
  /** The name has to be the first thing on its line. */
  readonly startsLine?: true;
  /** The name has to be a flag: `--name`, `-name`. */
  readonly isFlag?: true;
  /** The value follows a user, so `login` and `auth` are names enough. */
  readonly isPair?: true;
  /** What the whole name has to be. */
  readonly name?: RegExp;
  /**
   * Which values count. `any`; `word`: quoted ones without blanks, and others if they look random; `quoted`: any in
   * quotes; `looks`: those that look random.
   */
  readonly takes: 'any' | 'word' | 'quoted' | 'looks';
  /** How the value ends, if not as usual: at one of these signs; or as a block or a list. */
  readonly ends?: RegExp | 'block' | 'lines' | 'list' | 'object' | 'setting';
}

const anyQuote = '["\'`]';
const oneBlank = '[ \\t]';
const nameClosing = `${anyQuote}?(?:\\*{1,3}|[\\])}]{1,2})?(?:${oneBlank}[([][^()[\\]\\n]{1,30}[)\\]]|${oneBlank}for (?:[^\\s:]{1,40} ){0,3}[^\\s:]{1,40})?${oneBlank}{0,40}`;
const sign = `${nameClosing}\\n?(?:\\?\\?=|\\|\\|=|=>|:=|\\?=|\\+=|::(?=${oneBlank})|(?:->|→|⇒|⟶|➜|~)(?=${oneBlank})|:-|[:：]|=(?![=>]))(?:\\*{1,3}|</[a-z]{1,8}>|${oneBlank}<(?:code|b|strong|em|i|tt|kbd|pre|samp)>|${oneBlank}(?:!!?\\w{1,10}|&\\w{1,20})(?=${oneBlank})|${oneBlank}{0,4}["']?\\$\\((?:echo|printf)(?: -n| '%s')?${oneBlank})?`;
const pairs = `(?:${anyQuote}?[\\w-]{1,40}${anyQuote}?${oneBlank}{0,4}[:=]${oneBlank}{0,4}[^\\n,{}]{0,80}(?:,|\\r?\\n)\\s{0,40}){0,3}?`;
const valueName = `${anyQuote}?(?:string|secret|plain|text|default|current|parameter)?_?(?:value|val|default|data|content|plaintext|string|access|refresh)${anyQuote}?${oneBlank}{0,40}[:=]`;

/** String::from("…"), new SecretString("…"), ConvertTo-SecureString "…". */
const wrapper =
  '(?:\\[\\]byte\\(|(?:new )?(?:[\\w.()]{0,40}(?:::|\\.))?(?:from|new|of|some|ok|just|secretstr|str|string|bytes|b64decode|password|encode|md5|sha[0-9]{1,3}|hash|crypt|wrap|(?:string|s)(?:\\([0-9]{1,5}\\)|:[0-9]{1,5}:)|convertto-securestring|securestring|secretstring|secret|text|literal|value|valueof)[ (!]{1,2}(?:-string )?\\s{0,4}){0,2}';
const quoted = `(?:${oneBlank}{5,20}|\\s{0,4})(?:\\(\\s{0,20})?${wrapper}\\*?(?=[bBrRfFuULN@$]{0,2}${anyQuote})`;

/** What a user and a password follow. */
const login = /(?:auth|log[ -]?in|authenticate|cred\w{0,8})$/i;

const way = (between: string, more: Omit<Way, 'between'>): Way => ({ between: new RegExp(between, 'iy'), ...more });

/** In the order in which they are tried. The first that gives a value is used. */
export const ways: readonly Way[] = [
  // password: |, password: >-
  way(`${sign}${oneBlank}{0,4}[|>][+-]?[0-9]?[+-]?${oneBlank}{0,4}(?:#[^\\n]{0,80})?(?=\\r?\\n)`, {
    takes: 'any',
    ends: 'block',
  }),
  // "tokens": ["…", "…"], and tokens: with a list of lines
  way(`${sign}\\s{0,4}\\[`, { takes: 'word', ends: 'list' }),
  // passwords = {"ada": "…"}
  way(`${sign}\\s{0,4}\\{(?=\\s{0,40}${anyQuote}[^"'\\n]{1,60}${anyQuote}\\s{0,4}(?::|=>)\\s{0,4}${anyQuote})`, {
    name: /(?:pass\w{0,8}|pwd|secret)s$/i,
    takes: 'word',
    ends: 'list',
  }),
  // password = <<EOT
  way(`${nameClosing}=${oneBlank}?<<[<~-]?["']?\\w{1,20}["']?${oneBlank}{0,2}\\r?\\n\\s{0,20}`, { takes: 'looks' }),
  // INSERT INTO users (name, password) VALUES ('ada', '…')
  way('["`]?(?:,[\\w ,"`]{0,200})?\\)\\s{0,4}VALUES\\s{0,4}\\(', { takes: 'word', ends: 'list' }),
  way(`${sign}${oneBlank}{0,4}(?=\\r?\\n${oneBlank}{0,40}- )`, { takes: 'word', ends: 'lines' }),
  // {"secret": {"value": "…"}}, also in YAML
  way(`${sign}\\s{0,4}(?:\\{|\\r?\\n(?=${oneBlank}{2}))\\s{0,40}${pairs}${valueName}`, { takes: 'any' }),
  // {"tokens": {"access": "…", "refresh": "…"}}
  way(`${sign}\\s{0,4}\\{(?=\\s{0,40}["'\\w])`, { takes: 'looks', ends: 'object' }),
  // <password>…</password>, <entry key="password">…</entry>, <key>password</key><string>…</string>, <td>password</td><td>…</td>
  way('[^<>\\n]{0,80}>(?:\\s{0,40}<value>)?(?:<!\\[CDATA\\[)?', {
    before: /<(?:[\w.-]{1,30}:)?$/,
    takes: 'any',
    ends: /[<\]\n]/,
  }),
  way(`${anyQuote}[^<>\\n]{0,80}>(?:\\s{0,20}<[\\w:]{0,40}value[^<>\\n]{0,60}>)?`, {
    before: /<[^<>\n]{0,80}(?:name|key|id)=["']$/i,
    takes: 'any',
    ends: /[<\s]/,
  }),
  way(`</key>\\s{0,40}<string>`, { takes: 'any', ends: /[<\n]/ }),
  way(`${oneBlank}?:?</[\\w]{1,12}>\\s{0,40}<[\\w]{1,12}[^<>\\n]{0,80}>(?:<\\w{1,8}>)?`, {
    takes: 'looks',
    ends: /[<\s]/,
  }),
  // let secret: &str = "…", char pw[] = "…", password TEXT DEFAULT '…'
  way(
    `(?:${nameClosing}[!?]?:${oneBlank}{0,2}|${oneBlank}{1,4}|\\[[0-9]{0,4}\\]|${oneBlank}\\{ get; set; \\})(?:[&*[A-Za-z_][\\w.<>[\\]&*' |?:;]{0,60}?)?${oneBlank}{0,4}:?=(?![=>])${quoted}`,
    { takes: 'quoted' },
  ),
  way(`${oneBlank}{1,4}[\\w(), ]{0,60}?DEFAULT${quoted}`, { takes: 'quoted' }),
  // password == "…", process.env.TOKEN || "…", password <- "…"
  way(`${nameClosing}(?:=\\s?[\\w.$]{1,40}\\([^()\\n]{0,60}\\)\\s?)?(?:[!=]==?|<<<|\\|\\||\\?\\?|\\?:|<-)${quoted}`, {
    takes: 'word',
  }),
  way(`${nameClosing}(?:or|eq)${quoted}`, { takes: 'looks' }),
  way(`${sign}${quoted}`, { takes: 'any' }),
  way(sign, { takes: 'any', ends: 'setting' }),
  // {"name": "DB_PASSWORD", "value": "…"}, variable "db_password" { default = "…" }, <add key="password" value="…"/>
  way(`${anyQuote}?[\\s,]{1,40}(?:\\{\\s{0,40})?\\s{0,40}(?:- )?${pairs}${valueName}`, { takes: 'any' }),
  // <input type="password" name="x" value="…">
  way(`${anyQuote}\\s{1,4}(?:[\\w-]{1,30}=["'][^"'\\n]{0,60}["']\\s{1,4}){0,4}value=`, { takes: 'any' }),
  // | password | … |
  way('\\|(?=[\\w.+/=@!-]{6,200}\\|)', { before: /(?:^|\n)\|(?:[^|\n]{0,60}\|){0,6}$/, takes: 'looks', ends: /\|/ }),
  way(`${oneBlank}{1,40}\\|${oneBlank}{1,40}`, { startsLine: true, takes: 'looks', ends: /[|\s]/ }),
  way(`(?::?\\*{1,3}|\`|:)?${oneBlank}{1,40}\\|${oneBlank}{1,40}(?:\`|\\*{1,2})?`, {
    before: /[|│]\s{0,40}(?:\*{1,2}|`)?[^|\n]{0,30}$/,
    takes: 'looks',
    ends: /[|\n`* ]/,
  }),
  // define('DB_PASSWORD', '…'), setenv("TOKEN", "…", 1); elsewhere strings in a list are names more often
  way(`${anyQuote}${oneBlank}{0,4},${quoted}`, {
    before:
      /(?:define|set\w{0,20}|put\w{0,10}|add\w{0,20}|header|env|entry|pair|append|store|property|option)\(\s{0,10}(?:[\w.$]{1,40},\s{0,4})?["'`]$/i,
    takes: 'quoted',
  }),
  // getenv("TOKEN", "…"), env("TOKEN").unwrap_or("…"), --password in a list of options
  way(`${anyQuote}${oneBlank}{0,4},${oneBlank}{0,4}(?:(?:default|with|value)[=:])?${quoted}`, {
    before:
      /(?:get\w{0,20}|fetch|env|String|default|argument|option|fill|fill_in|type|cookie)[( ]\s{0,10}["'`][\w#.=[-]{0,30}$/i,
    takes: 'word',
  }),
  way(`${anyQuote}?[)\\]]{1,2}\\??\\.(?:unwrap_or|get_?or|or)\\w{0,12}\\(${quoted}`, { takes: 'word' }),
  way(`${anyQuote}?${oneBlank}{0,4},${quoted}`, {
    before: /(?:[({[]|^|\n)\s{0,10}(?:[\w.$]{1,40},\s{0,4})?["'`:]{0,2}$/,
    takes: 'looks',
  }),
  // setPassword("…"), password.equals("…")
  way(`\\(${quoted}`, { name: /^(?:[\w.-]{0,40}[._])?(?:set|with|use(?!r))/i, takes: 'word' }),
  way(`(?:\\.(?:equals|eq|is)\\w{0,16}\\(|[({])${quoted}`, {
    name: /^(?!(?:[\w.]{0,40}\.)?(?:create|get|parse|next|read|make|is|has|expect|consume|match|peek|emit|push)\w{0,20}token)/i,
    takes: 'looks',
  }),
  // --password …, "--password", "…"
  way(`${oneBlank}{1,4}(?:${oneBlank}{0,4}\\\\\\n\\s{0,20})?(?!-)`, { isFlag: true, takes: 'any', ends: /[\s"'`\\]/ }),
  way(`${anyQuote},\\s{0,20}(?=${anyQuote})`, { isFlag: true, takes: 'quoted' }),
  // ENV NAME …, set -x NAME …, aws configure set name …, login ada password …
  way(`${oneBlank}{1,4}(?![-=])`, {
    before:
      /(?:(?:^|[\s;&|"'`→])(?:ENV|ARG|setenv|setx|set[ \t]{1,4}-[a-z]{1,4}|config(?:ure)?[ \t]{1,4}set(?:[ \t]{1,4}\S{0,80})?|git[ \t]{1,4}config(?:[ \t]{1,4}--?\w{1,10}){0,2}|#[ \t]?define|setq|defvar|defparameter)[ \t]{1,4}["'(]?|\blogin[ \t]{1,4}\S{1,60}\s{1,40}|_(?:auth|password)\s{1,4})$/i,
    takes: 'any',
    ends: /[\s"'`\\)]/,
  }),
  // IDENTIFIED BY '…', WITH PASSWORD '…', storePassword '…', :password "…"
  way(`${oneBlank}{1,4}(?:VALUES${oneBlank}{1,4})?`, {
    name: /^identified/i,
    before: /\b(?:create|alter|grant|connect)\b[^\n]{1,100}$/i,
    takes: 'any',
    ends: /[\s;]/,
  }),
  way(`${oneBlank}{1,4}(?=["'])`, {
    before: /(?:\b(?:with|set|encrypted|login|(?:user|role)[ \t]{1,4}\S{1,64})[ \t]{1,4}|:)$/i,
    takes: 'quoted',
  }),
  // パスワードは…です
  way(`(?:は|是|为|為|는|은)[:：]?${oneBlank}{0,4}`, { takes: 'looks', ends: /[^!-~]|["'`\\]/ }),
  // seed phrase: twelve words
  way(`${sign}${oneBlank}{0,4}(?=(?:[a-z]{3,8} ){3,23}\\S{3,24}(?:["'\\s]|$))`, {
    name: /phrase$|mnemonic/i,
    takes: 'any',
    ends: /["'`\n\\]/,
  }),
  // fill('#password', '…'), get('[name=password]').type('…')
  way(
    `["'\\]]{0,3}(?:(?<=[#.=]["']?[\\w-]{1,40}["'\\]]{0,3}),|/i?\\),|\\)\\.\\w{0,8}(?:type|fill|keys|value)\\w{0,12}\\()${quoted}`,
    { before: /[#.="'[/]$/, takes: 'looks' },
  ),
  way(`${oneBlank}{1,4}`, {
    name: /^(?:requirepass|masterauth|bindpw|rootpw)$/i,
    startsLine: true,
    takes: 'any',
    ends: /\s/,
  }),
  // credentials: ada / …, basic_auth: ada:…, auth=('ada', '…'), new Credentials("ada", "…")
  way(`${nameClosing}(?:${sign}|with )?${oneBlank}?(?!https?:)[A-Za-z][\\w.@+-]{0,40} ?[/:] ?(?=[^\\s/])`, {
    isPair: true,
    name: login,
    takes: 'looks',
    ends: /[\s"'`\\,;)]/,
  }),
  way(`${nameClosing}(?:${sign})?\\s{0,4}[([{]\\s{0,4}${anyQuote}[\\w.@+-]{1,60}${anyQuote}\\s{0,4},${quoted}`, {
    isPair: true,
    name: login,
    takes: 'quoted',
  }),
];
