import type { CompletedCommand, CompletedValue, Completion } from './command.js';

/** Works with bash alone, from 3.2 on; the package bash-completion is not needed. */
export function bashCompletion({ commands, topics }: Completion): string {
  const names = commands.map(({ name }) => name);
  return `# Completion of cct in bash, from cct completion bash
_cct() {
  # Read from the line: bash cuts words at : and =, which stand in names of events and behind flags.
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
    kind=word words=${quote([...names, 'help'].join(' '))}
    if [[ $word == -* ]]; then
      words='-h --help -V --version'
    fi
  else
    case \${COMP_WORDS[1]} in
    help) kind=word words=${quote([...names, ...topics.map(({ name }) => name)].join(' '))} ;;
${commands.map(commandCase).join('\n')}
    esac
  fi
  COMPREPLY=()
  [[ $kind == file ]] && return
  # Nothing to offer is not the same as any file.
  compopt +o default 2>/dev/null
  [[ $kind == list && $value == *,* ]] && cut=\${value%,*},
  local choice
  for choice in $words; do
    [[ $cut$choice == "$value"* ]] && COMPREPLY+=("$cut$choice")
  done
  # Only what stands behind the last : or = is what bash will put something in the place of.
  local kept=\${value%"\${value##*:}"}
  [[ $COMP_WORDBREAKS == *:* && -n $kept ]] && COMPREPLY=("\${COMPREPLY[@]#"$kept"}")
  [[ $COMP_WORDBREAKS != *=* && $word == --*=* ]] && COMPREPLY=("\${COMPREPLY[@]/#/$flag=}")
  return 0
}
complete -o default -F _cct cct
`;
}

function commandCase({ name, flags, operand }: CompletedCommand): string {
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
        if [[ $word == -* ]]; then
          kind=word words=${quote(names.join(' '))}
        fi
        ;;
      esac
      ;;`;
}

function offer({ kind, words }: CompletedValue): string {
  return `kind=${kind} words=${quote(words.join(' '))}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
