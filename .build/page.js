// Builds the page of `cct report`: one HTML file with script and style inside, and placeholders for what a run adds.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { build } from 'rolldown';

const describing = [
  'means',
  'object',
  'orNull',
  'optional',
  'oneOf',
  'exactly',
  'listOf',
  'mapOf',
  'loose',
  'teamEvent',
  'namesOf',
  'keepingOthers',
  'whereFrom',
  'addedFields',
];
const room = 'src/commands/report/page';

/** Writes the page to a file, and returns it. */
export async function buildPage(file, plugins) {
  const { output } = await build({
    input: { page: `${room}/main.tsx` },
    platform: 'browser',
    plugins,
    write: false,
    // The page never reads or explains a record: descriptions of fields that no code of it uses stay out.
    treeshake: { manualPureFunctions: describing, propertyReadSideEffects: false, moduleSideEffects: false },
    transform: { target: 'es2022' },
    output: { format: 'esm', minify: true, codeSplitting: false, comments: false },
  });
  // In a script element these would end it or change how the rest is read. Names of XML namespaces look like addresses;
  // written this way, the page contains no address.
  const script = `\n${output[0].code
    .replaceAll('</script', '<\\/script')
    .replaceAll('<!--', '<\\!--')
    .replaceAll('http://', 'http:\\u002f/')}`;
  // Without comments and spaces, which the page pays for in every copy.
  const style = `\n${readFileSync(`${room}/style.css`, 'utf8')}`
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/([{},:;])\s+/g, '$1');
  const policy = [
    "default-src 'none'",
    `script-src '${digest(script)}'`,
    `style-src '${digest(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const page = `<!doctype html><!-- cct report 1 -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>{title}</title>
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<noscript><p>Scripts are off. These tables show how the run ended; with scripts on, the page plays it.</p></noscript>
<div class="static">{tables}</div>
<script type="application/json" id="settings">{settings}</script>
<script type="application/x-cct-events" id="events">{events}</script>
<script type="module">${script}</script>
</body>
</html>
`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, page);
  return page;
}

function digest(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
