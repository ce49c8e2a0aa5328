import type { CompletedCommand, CompletedFlag, CompletedValue, Completion, Named } from './command.js';

/** For a folder of $fpath, as _cct, or to be sourced after compinit. */
export function zshCompletion({ commands, topics }: Completion): string {
  const help = { name: 'help', summary: 'explain a command or a topic' };
  return `#compdef cct
# Completion of cct in zsh, from cct completion zsh

_cct() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C \\
    '(- *)'{-h,--help}'[what cct can do]' \\
    '(- *)'{-V,--version}'[the version]' \\
    '1:command:_cct_commands' \\
    '*:: :->words'
  [[ $state == words ]] || return
  curcontext=\${curcontext%:*}-$line[1]:
  case $line[1] in
    help) _arguments '1:command or topic:_cct_subjects' ;;
${commands.map(commandCase).join('\n')}
  esac
}

_cct_commands() {
${describe('command', [...commands, help])}
}

_cct_subjects() {
${describe('command', commands)}
${describe('topic', topics)}
}

# Several words with commas between.
_cct_list() {
  compset -P '*,'
  compset -S ',*'
  compadd -qS , -- "$@"
}

if [[ $funcstack[1] == _cct ]]; then
  _cct "$@"
else
  compdef _cct cct
fi
`;
}

function commandCase({ name, flags, operand }: CompletedCommand): string {
  const operands = operand.kind === 'file' ? `'*:file:_files'` : quote(`1${action(operand)}`);
  return `    ${name})
      _arguments -s -S \\
${flags.map((flag) => `        ${flagSpec(flag)} \\\n`).join('')}        ${operands}
      ;;`;
}

function flagSpec({ long, short, summary, value }: CompletedFlag): string {
  const spec = `[${bracketed(summary)}]${value === null ? '' : action(value)}`;
  const whole = value === null ? long : `${long}=`;
  if (short === null) return quote(whole + spec);
  return `'(${short} ${long})'{${value === null ? short : `${short}+`},${whole}}${quote(spec)}`;
}

/** `:name:what completes it` */
function action({ name, kind, words }: CompletedValue): string {
  const offered = words.map(escaped).join(' ');
  const how = { word: `(${offered})`, list: ` _cct_list ${offered}`, file: '_files', text: ' ' }[kind];
  return `:${name}:${how}`;
}

function describe(tag: string, entries: readonly Named[]): string {
  const lines = entries.map(({ name, summary }) => `    ${quote(`${escaped(name)}:${summary}`)}\n`);
  return `  local -a ${tag}s=(\n${lines.join('')}  )\n  _describe -t ${tag}s ${tag} ${tag}s`;
}

function escaped(word: string): string {
  return word.replaceAll(':', '\\:');
}

function bracketed(text: string): string {
  return text.replace(/[[\]\\:]/g, '\\$&');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
