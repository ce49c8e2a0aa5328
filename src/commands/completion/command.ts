// The completion command: prints a completion script for a shell.
import type { Command, Operand, OptionSpec } from '../../cli/command.js';
import { inBrief, topics } from '../../cli/docs/help.js';
import { longFlag, optionsOf, valueKind } from '../../cli/flags/flags.js';
import { loadAll } from '../../cli/registry.js';

const shells: Readonly<Record<string, (completion: Completion) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

export const completion: Command = {
  name: 'completion',
  kind: 'text',
  summary: 'print a completion script for your shell',
  description:
    'The script completes commands, flags, flag values and files. It knows the flags of the version that printed it. Print it again after an update, or each time the shell starts.',
  operand: {
    name: 'shell',
    summary: 'your shell',
    choices: Object.keys(shells),
  },
  options: [],
  shared: [],
  examples: [
    { does: 'bash: add this line to ~/.bashrc', run: 'source <(cct completion bash)' },
    {
      does: 'zsh: write a file _cct to a folder in $fpath, before compinit runs',
      run: 'cct completion zsh > ~/.zfunc/_cct',
    },
    { does: 'fish', run: 'cct completion fish > ~/.config/fish/completions/cct.fish' },
  ],
  interest: () => ({ events: [] }),
  async run({ operands: [shell = ''], out }) {
    out.write(shells[shell]?.(completionOf(await loadAll())) ?? '');
  },
};

/** What can be typed after `cct`. */
type Completion = ReturnType<typeof completionOf>;
type CompletedCommand = Completion['commands'][number];
type Named = Completion['topics'][number];

type CompletedFlag = ReturnType<typeof completedFlag>;

interface CompletedValue {
  readonly name: string;
  /** One of `words`, several separated by commas, a path, or anything. */
  readonly kind: 'word' | 'list' | 'file' | 'text';
  readonly words: readonly string[];
}

function completionOf(commands: readonly Command[]) {
  return {
    commands: commands.map((command) => ({
      name: command.name,
      summary: command.summary,
      flags: [...optionsOf(command).map((spec) => completedFlag(command, spec)), helpFlag],
      operand: completedOperand(command.operand),
    })),
    topics: topics.map(({ name, summary }) => ({ name, summary })),
  };
}

const helpFlag: CompletedFlag = { long: '--help', short: '-h', summary: 'show help for this command', value: null };

function completedFlag(command: Command, spec: OptionSpec) {
  return {
    long: longFlag(spec),
    short: /^-\w\b/.exec(spec.flags)?.[0] ?? null,
    summary: inBrief(spec).summary,
    value: valueKind(spec) === 'flag' || spec.bare !== undefined ? null : completedValue(command, spec),
  };
}

function completedValue(command: Command, spec: OptionSpec): CompletedValue {
  const name = /<([^>,]*)/.exec(spec.flags)?.[1] ?? 'value';
  const fields = [...(command.fields ?? []), ...(command.otherFields ?? []).flatMap((other) => other.fields)];
  const offered = /^--(?:fields|sort)$/.test(longFlag(spec)) ? fields : [];
  const words = [...new Set(spec.choices ?? spec.suggestions?.() ?? offered)];
  if (name === 'file') return { name, kind: 'file', words };
  if (words.length === 0) return { name, kind: 'text', words };
  return { name, kind: valueKind(spec) === 'list' ? 'list' : 'word', words };
}

function completedOperand(operand: Operand | undefined): CompletedValue {
  if (operand === undefined || operand.isProgram) return { name: operand?.name ?? 'file', kind: 'file', words: [] };
  return { name: operand.name, kind: 'word', words: operand.choices };
}

// Writes the completion scripts of bash, zsh and fish.

/** Needs only bash 3.2 or later, not the bash-completion package. */
function bashCompletion({ commands, topics }: Completion): string {
  const names = commands.map(({ name }) => name);
  return `# Completion of cct in bash, from cct completion bash
_cct() {
  # Read the whole line: bash splits words at : and =, which occur in event names and after flags.
  local typed=\${COMP_LINE:0:COMP_POINT}
  local word=\${typed##*[[:space:]]} before flag value kind=file words= cut= IFS=$' \\t\\n'
  before=\${typed%"$word"}
  before=\${before%"\${before##*[![:space:]]}"}
  flag=\${before##*[[:space:]]}
  value=$word
  if [[ $word == --*=* ]]; then
    flag=\${word%%=*}
    value=\${word#*=}
  fi
  if [[ " $before " == *' -- '* ]]; then
    flag=
  elif ((COMP_CWORD == 1)); then
    kind=word words=${quotePosix([...names, 'help'].join(' '))}
    if [[ $word == -* ]]; then
      words='-h --help -V --version'
    fi
  else
    case \${COMP_WORDS[1]} in
    help) kind=word words=${quotePosix([...names, ...topics.map(({ name }) => name)].join(' '))} ;;
${commands.map(bashCase).join('\n')}
    esac
  fi
  COMPREPLY=()
  [[ $kind == file ]] && return
  # If there is nothing to offer, do not offer files.
  compopt +o default 2>/dev/null
  [[ $kind == list && $value == *,* ]] && cut=\${value%,*},
  local choice
  for choice in $words; do
    # Do not offer what is already there.
    [[ $kind == list && ,$cut == *,$choice,* ]] && continue
    [[ $choice == -* && " $before " == *" $choice "* ]] && continue
    [[ $cut$choice == "$value"* ]] && COMPREPLY+=("$cut$choice")
  done
  # bash replaces only the part after the last : or =.
  local kept=\${value%"\${value##*:}"}
  [[ $COMP_WORDBREAKS == *:* && -n $kept ]] && COMPREPLY=("\${COMPREPLY[@]#"$kept"}")
  [[ $COMP_WORDBREAKS != *=* && $word == --*=* ]] && COMPREPLY=("\${COMPREPLY[@]/#/$flag=}")
  return 0
}
complete -o default -F _cct cct
`;
}

/** For a folder in $fpath, as _cct, or to be sourced after compinit. */
function zshCompletion({ commands, topics }: Completion): string {
  const help = { name: 'help', summary: 'explain a command or a topic' };
  return `#compdef cct
# Completion of cct in zsh, from cct completion zsh

_cct() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C \\
    '(- *)'{-h,--help}'[show help]' \\
    '(- *)'{-V,--version}'[show the version]' \\
    '1:command:_cct_commands' \\
    '*:: :->words'
  [[ $state == words ]] || return
  curcontext=\${curcontext%:*}-$line[1]:
  case $line[1] in
    help) _arguments '1:command or topic:_cct_subjects' ;;
${commands.map(zshCase).join('\n')}
  esac
}

_cct_commands() {
${describedWords('command', [...commands, help])}
}

_cct_subjects() {
${describedWords('command', commands)}
${describedWords('topic', topics)}
}

# Several words, separated by commas.
_cct_list() {
  compset -P '*,'
  compset -S ',*'
  local -a chosen=(\${(s:,:)\${IPREFIX##*=}})
  compadd -qS , -- \${argv:|chosen}
}

if [[ $funcstack[1] == _cct ]]; then
  _cct "$@"
else
  compdef _cct cct
fi
`;
}

function fishCompletion({ commands, topics }: Completion): string {
  const first = '-n __cct_first';
  const help = `-n ${quoteFish('__cct_command help; and __cct_operands 0')}`;
  return `# Completion of cct in fish, from cct completion fish

function __cct_first
    test (count (commandline -opc)) -eq 1
end

function __cct_command
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]
end

function __cct_operands
    test (count (commandline -opc)) -eq (math $argv[1] + 2)
end

# A flag and its value in one word: the value is not one of the files to read.
function __cct_valued
    string match -q -- '--*=*' (commandline -ct)
end

# Several words, separated by commas.
function __cct_list
    set -l typed (commandline -ct | string replace -r '^--[a-z-]+=' '')
    set -l before (string replace -r '[^,]*$' '' -- $typed)
    set -l chosen (string split , -- $before)
    for word in $argv
        contains -- $word $chosen; or printf '%s\\n' $before$word
    end
end

complete -c cct -f
complete -c cct ${first} -s h -l help -d 'show help'
complete -c cct ${first} -s V -l version -d 'show the version'
${commands.map(({ name, summary }) => `complete -c cct ${first} -a ${name} -d ${quoteFish(summary)}`).join('\n')}
complete -c cct ${first} -a help -d 'explain a command or a topic'
${[...commands, ...topics].map(({ name, summary }) => `complete -c cct ${help} -a ${name} -d ${quoteFish(summary)}`).join('\n')}
${commands.flatMap(commandLines).join('\n')}
`;
}

function bashCase({ name, flags, operand }: CompletedCommand): string {
  const patterns = new Map<string, string[]>();
  for (const { long, short, value } of flags) {
    if (value === null) continue;
    const offered = offer(value);
    patterns.set(offered, [...(patterns.get(offered) ?? []), ...(short === null ? [long] : [short, long])]);
  }
  const valued = [...patterns].map(([offered, words]) => `      ${words.join(' | ')}) ${offered} ;;\n`);
  const names = flags.flatMap(({ long, short }) => (short === null ? [long] : [short, long]));
  return `    ${name})
      case $flag in
${valued.join('')}      *)
        ${offer(operand)}
        if [[ $word == --*=* ]]; then
          kind=text words=
        elif [[ $word == -* ]]; then
          kind=word words=${quotePosix(names.join(' '))}
        fi
        ;;
      esac
      ;;`;
}

function offer({ kind, words }: CompletedValue): string {
  return `kind=${kind} words=${quotePosix(words.join(' '))}`;
}

function quotePosix(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function zshCase({ name, flags, operand }: CompletedCommand): string {
  const operands = operand.kind === 'file' ? `'*:file:_files'` : quotePosix(`1${action(operand)}`);
  return `    ${name})
      _arguments -s -S \\
${flags.map((flag) => `        ${flagSpec(flag)} \\\n`).join('')}        ${operands}
      ;;`;
}

function flagSpec({ long, short, summary, value }: CompletedFlag): string {
  const spec = `[${bracketed(summary)}]${value === null ? '' : action(value)}`;
  const whole = value === null ? long : `${long}=`;
  if (short === null) return quotePosix(whole + spec);
  return `'(${short} ${long})'{${value === null ? short : `${short}+`},${whole}}${quotePosix(spec)}`;
}

/** `:name:what completes it` */
function action({ name, kind, words }: CompletedValue): string {
  const offered = words.map(escapedWord).join(' ');
  const how = { word: `(${offered})`, list: ` _cct_list ${offered}`, file: '_files', text: ' ' }[kind];
  return `:${name}:${how}`;
}

function describedWords(tag: string, entries: readonly Named[]): string {
  const lines = entries.map(({ name, summary }) => `    ${quotePosix(`${escapedWord(name)}:${summary}`)}\n`);
  return `  local -a ${tag}s=(\n${lines.join('')}  )\n  _describe -t ${tag}s ${tag} ${tag}s`;
}

function escapedWord(word: string): string {
  return word.replaceAll(':', '\\:');
}

function bracketed(text: string): string {
  return text.replace(/[[\]\\:]/g, '\\$&');
}

function commandLines({ name, flags, operand }: CompletedCommand): string[] {
  const here = `complete -c cct -n ${quoteFish(`__cct_command ${name}`)}`;
  const files = `complete -c cct -n ${quoteFish(`__cct_command ${name}; and not __cct_valued`)}`;
  const operands = `complete -c cct -n ${quoteFish(`__cct_command ${name}; and __cct_operands 0`)}`;
  return [
    operand.kind === 'file' ? `${files} -F` : `${operands} ${values(operand)}`,
    ...flags.map((flag) => `${here} ${flagWords(flag)}`),
  ];
}

function flagWords({ long, short, summary, value }: CompletedFlag): string {
  const names = `${short === null ? '' : `-s ${short.slice(1)} `}-l ${long.slice(2)}`;
  return `${names} -d ${quoteFish(summary)}${value === null ? '' : ` ${values(value)}`}`;
}

function values({ kind, words }: CompletedValue): string {
  const offered = words.join(' ');
  switch (kind) {
    case 'word':
      return `-x -a ${quoteFish(offered)}`;
    case 'list':
      return `-x -a ${quoteFish(`(__cct_list ${offered})`)}`;
    case 'file':
      return '-r -F';
    case 'text':
      return '-x';
  }
}

function quoteFish(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
