import type { CompletedCommand, CompletedFlag, CompletedValue, Completion } from './command.js';

export function fishCompletion({ commands, topics }: Completion): string {
  const first = '-n __cct_first';
  const help = `-n ${quote('__cct_command help; and __cct_operands 0')}`;
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

# Several words with commas between.
function __cct_list
    set -l typed (commandline -ct | string replace -r '^--[a-z-]+=' '')
    set -l before (string replace -r '[^,]*$' '' -- $typed)
    printf '%s\\n' $before$argv
end

complete -c cct -f
complete -c cct ${first} -s h -l help -d 'what cct can do'
complete -c cct ${first} -s V -l version -d 'the version'
${commands.map(({ name, summary }) => `complete -c cct ${first} -a ${name} -d ${quote(summary)}`).join('\n')}
complete -c cct ${first} -a help -d 'explain a command or a topic'
${[...commands, ...topics].map(({ name, summary }) => `complete -c cct ${help} -a ${name} -d ${quote(summary)}`).join('\n')}
${commands.flatMap(commandLines).join('\n')}
`;
}

function commandLines({ name, flags, operand }: CompletedCommand): string[] {
  const here = `complete -c cct -n ${quote(`__cct_command ${name}`)}`;
  const operands = `complete -c cct -n ${quote(`__cct_command ${name}; and __cct_operands 0`)}`;
  return [
    operand.kind === 'file' ? `${here} -F` : `${operands} ${values(operand)}`,
    ...flags.map((flag) => `${here} ${flagWords(flag)}`),
  ];
}

function flagWords({ long, short, summary, value }: CompletedFlag): string {
  const names = `${short === null ? '' : `-s ${short.slice(1)} `}-l ${long.slice(2)}`;
  return `${names} -d ${quote(summary)}${value === null ? '' : ` ${values(value)}`}`;
}

function values({ kind, words }: CompletedValue): string {
  const offered = words.join(' ');
  switch (kind) {
    case 'word':
      return `-x -a ${quote(offered)}`;
    case 'list':
      return `-x -a ${quote(`(__cct_list ${offered})`)}`;
    case 'file':
      return '-r -F';
    case 'text':
      return '-x';
  }
}

function quote(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
