import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { descendantsOf, listProcesses, sendSignal } from '../../src/io/processes.js';

/** The programs that are missing here. */
export function missingPrograms(): string[] {
  const has = (test: string) => {
    try {
      execFileSync('sh', ['-c', test], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  return [
    ...(has('parallel --version | grep -q "^GNU parallel"') ? [] : ['GNU parallel']),
    ...(has('command -v ssh ssh-keygen') && sshd !== undefined ? [] : ['sshd']),
  ];
}

/** It wants to be started by its whole path, and is not on the path of every user. */
const sshd = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd'].find((path) => existsSync(path));

export interface Host {
  /** The folder that is its home. */
  readonly home: string;
  readonly port: number;
  /** How many jobs it has started, and how many have ended without a failure of ours. */
  started(): number;
  ended(): number;
  /** Resolves when a job is where the host has to die. */
  dying(): Promise<void>;
  /** Reaches everything on it at once: SIGKILL is its death, SIGSTOP a machine that no longer answers. */
  signal(name: 'SIGKILL' | 'SIGSTOP'): void;
}

/** How `cct` behaves on a host. */
export type Manner = keyof typeof manners;

const manners = {
  well: '',
  /** The second job stops halfway. */
  fails: '[ $job -ne 2 ] || { half "$@"; exit 1; }',
  /** When two jobs have ended, the third says half of what it has to say and no more. */
  dies: `if [ $job -eq 3 ]; then
  until [ $(ls "$HOME/ended" | wc -l) -ge 2 ]; do sleep 0.05; done
  half "$@"
  : > "$HOME/dying"
  sleep 600
fi`,
};

/** Machines on loopback: each has an sshd, a home and a `cct` of its own. They need nothing of this user's ~/.ssh. */
export class Hosts {
  /** The environment in which GNU parallel finds them. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #folder: string;
  readonly #processes: ChildProcess[] = [];
  /** sshd wants this folder if it runs as root. */
  readonly #madeRunFolder: boolean;

  constructor(folder: string) {
    this.#folder = folder;
    this.environment = {
      PARALLEL_SSH: `ssh -F ${join(folder, 'ssh_config')}`,
      PARALLEL_HOME: join(folder, 'parallel'),
    };
    mkdirSync(join(folder, 'parallel'), { recursive: true });
    this.#madeRunFolder = userInfo().uid === 0 && !existsSync(runFolder);
    if (this.#madeRunFolder) mkdirSync(runFolder);
    for (const name of ['host', 'user'])
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
  }

  /** `config` is added to the ssh configuration of the client. */
  async start(
    manners: readonly [Manner, Manner],
    config: string,
  ): Promise<Readonly<Record<'build1' | 'build2', Host>>> {
    const [build1, build2] = await Promise.all([
      this.#startHost('build1', manners[0]),
      this.#startHost('build2', manners[1]),
    ]);
    const inside = (name: string) => join(this.#folder, name);
    const key = readFileSync(inside('host.pub'), 'utf8');
    const known = [build1, build2].map(({ port }) => `[127.0.0.1]:${port} ${key}`);
    writeFileSync(inside('known_hosts'), known.join(''));
    writeFileSync(
      inside('ssh_config'),
      `Host build1
  Port ${build1.port}
Host build2
  Port ${build2.port}
Host *
  HostName 127.0.0.1
  IdentityFile ${inside('user')}
  IdentitiesOnly yes
  UserKnownHostsFile ${inside('known_hosts')}
  BatchMode yes
${config}
`,
    );
    return { build1, build2 };
  }

  stop(): void {
    for (const child of this.#processes) signalAll(child, 'SIGKILL');
    if (this.#madeRunFolder) rmdirSync(runFolder);
  }

  async #startHost(name: string, manner: Manner): Promise<Host> {
    const home = join(this.#folder, name);
    for (const folder of ['started', 'ended', 'bin']) mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, 'bin/cct'), cctScript(manner), { mode: 0o755 });
    // With this home the login shell does not read the files of this user, such as ~/.bashrc. Those of the system may
    // change the path, so it is set after them.
    const login = `#!/bin/sh\nPATH=${home}/bin:$PATH\ncd && exec sh -c "$SSH_ORIGINAL_COMMAND"\n`;
    writeFileSync(join(home, 'login'), login, { mode: 0o755 });
    const port = await freePort();
    const config = join(home, 'sshd_config');
    writeFileSync(
      config,
      `ListenAddress 127.0.0.1
Port ${port}
HostKey ${join(this.#folder, 'host')}
AuthorizedKeysFile ${join(this.#folder, 'user.pub')}
SetEnv HOME=${home}
ForceCommand ${home}/login
MaxStartups 100
PidFile none
StrictModes no
UsePAM no
`,
    );
    // A session of its own, so that signalAll does not find the session of the tests.
    const child = spawn(sshd ?? 'sshd', ['-D', '-e', '-f', config], {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#processes.push(child);
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    await new Promise<void>((listening, fail) => {
      child.once('exit', () => fail(new Error(`sshd did not start: ${said}`)));
      const attempt = () => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.destroy();
          listening();
        });
        socket.on('error', () => setTimeout(attempt, 20));
      };
      attempt();
    });
    return {
      home,
      port,
      started: () => readdirSync(join(home, 'started')).length,
      ended: () => readdirSync(join(home, 'ended')).length,
      async dying() {
        while (!existsSync(join(home, 'dying')) && isRunning(child)) await sleep(20);
      },
      signal: (signal) => signalAll(child, signal),
    };
  }
}

const runFolder = '/run/sshd';

function cctScript(manner: Manner): string {
  return `#!/bin/sh
cct() { ${process.execPath} ${resolve('bin/cct.js')} "$@"; }
half() { cct "$@" | head -c 1000; }
job=1
until mkdir "$HOME/started/$job" 2>/dev/null; do job=$((job + 1)); done
${manners[manner]}
cct "$@"
code=$?
: > "$HOME/ended/$job"
exit $code
`;
}

function signalAll(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined || !isRunning(child)) return;
  // Nothing can start while we look.
  sendSignal(pid, 'SIGSTOP');
  const inside = descendantsOf(pid, listProcesses());
  for (const one of [pid, ...inside.map((process) => process.pid)]) sendSignal(one, signal);
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
