import { type ChildProcess, fork } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';

export interface Order {
  readonly words: readonly string[];
  readonly stdin: string | null;
  /** Whether the answer has what was written, or only its digest. */
  readonly keep: boolean;
}

export interface Answer {
  /** A text if it did not end. */
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** A build of cct, loaded in a process of its own that carries out one command line after the other. */
export class Build {
  readonly #main: string;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #child: ChildProcess | null = null;
  #next = 0;

  /** `program` is the path of its bin/cct.js. */
  constructor(program: string) {
    this.#main = join(dirname(resolve(program)), '../dist/cli/main.cjs');
  }

  run(order: Order): Promise<Answer> {
    this.#child ??= this.#start();
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child?.send({ id, ...order });
    });
  }

  stop(): void {
    this.#child?.kill();
  }

  #start(): ChildProcess {
    const env = {
      PATH: process.env['PATH'],
      TZ: 'UTC',
      LC_ALL: 'C',
      TERM: 'dumb',
      COLUMNS: '100',
      HOME: '/nonexistent',
    };
    const child = fork('test/oracle/runner.js', [this.#main], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], env });
    child.on('message', (told: Answer & { readonly id: number }) => {
      this.#waiting.get(told.id)?.(told);
      this.#waiting.delete(told.id);
    });
    child.on('exit', (code, signal) => {
      this.#child = null;
      const died = { code: `the process ended (${signal ?? code})`, stdout: '', stderr: '' };
      for (const answer of this.#waiting.values()) answer(died);
      this.#waiting.clear();
    });
    return child;
  }
}
