import { type Completion, completionOf } from '../docs/completion.js';
import { bashCompletion } from '../docs/completion-bash.js';
import { fishCompletion } from '../docs/completion-fish.js';
import { zshCompletion } from '../docs/completion-zsh.js';
import type { Command } from '../run/command.js';
import { loadAll } from '../run/registry.js';

const shells: Readonly<Record<string, (completion: Completion) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

export const completion: Command = {
  name: 'completion',
  kind: 'text',
  summary: 'print a script that completes cct in your shell',
  description:
    'The script completes commands, flags, their values and files. It knows the flags of the version that printed it, so print it anew after an update, or when the shell starts.',
  operand: {
    name: 'shell',
    summary: 'for which shell',
    choices: Object.keys(shells),
  },
  options: [],
  shared: [],
  examples: [
    { does: 'bash: in ~/.bashrc', run: 'source <(cct completion bash)' },
    {
      does: 'zsh: a file _cct in a folder of $fpath, before compinit runs',
      run: 'cct completion zsh > ~/.zfunc/_cct',
    },
    { does: 'fish', run: 'cct completion fish > ~/.config/fish/completions/cct.fish' },
  ],
  interest: () => ({ events: [] }),
  async run({ operands: [shell = ''], out }) {
    out.write(shells[shell]?.(completionOf(await loadAll())) ?? '');
  },
};
