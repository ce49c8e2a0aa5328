// Plays claude in tests of how it is stopped. Like the real one, it ignores a closed pipe, exits with 0 on SIGINT and
// with 143 on SIGTERM, writes a result then only sometimes, and starts its shells in their own sessions.
//
//   node stand-in.js LOG [calls=N] [every=MS] [shell] [result] [deaf] [mute] [hangs] [ends=CODE] [costs=USD] [model=ID]
//
// Each call writes a line to LOG and a record to stdout. With `shell` the first call starts one that keeps running; its
// pid is in LOG. `deaf` ignores signals, `mute` has no result at its end, `hangs` never ends.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeSync } from 'node:fs';

const [log, ...words] = process.argv.slice(2);
const has = (word) => words.includes(word);
const number = (name, or) => Number(words.find((word) => word.startsWith(`${name}=`))?.split('=')[1] ?? or);
const calls = number('calls', 1e9);
const every = number('every', 20);
const model = words.find((word) => word.startsWith('model='))?.slice(6) ?? 'claude-opus-4-6';

/** Whether the shell's child is a sleep already: right after the fork it has the name of the shell. */
const isAsleep = (pid) => {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  return child !== '' && readFileSync(`/proc/${child}/comm`, 'utf8') === 'sleep\n';
};
const clock = new Int32Array(new SharedArrayBuffer(4));

let made = 0;
const usage = { input_tokens: 1000, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
const say = (record) => {
  const bytes = Buffer.from(`${JSON.stringify({ ...record, session_id: 's1' })}\n`);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
  } catch {
    // Nobody reads it any more.
  }
};
const result = () => {
  const models = { [model]: { inputTokens: 1000 * made, outputTokens: made, costUSD: number('costs', 0.005 * made) } };
  const total = number('costs', 0.005 * made);
  say({
    type: 'result',
    subtype: 'success',
    is_error: false,
    uuid: 'r',
    total_cost_usd: total,
    usage,
    modelUsage: models,
  });
};
const signals = { SIGINT: 0, SIGTERM: 143, SIGHUP: 129 };
for (const [signal, code] of Object.entries(signals))
  process.on(signal, () => {
    appendFileSync(log, `${signal}\n`);
    if (has('deaf')) return;
    if (has('result')) result();
    process.exit(code);
  });

say({ type: 'system', subtype: 'init', uuid: 'i', model });
const timer = setInterval(() => {
  if (made === calls) {
    clearInterval(timer);
    if (!has('mute')) result();
    if (has('hangs')) setInterval(() => {}, 1000);
    else process.exitCode = number('ends', 0);
    return;
  }
  made += 1;
  appendFileSync(log, `call ${made}\n`);
  if (has('shell') && made === 1) {
    const shell = spawn('sh', ['-c', 'sleep 300; true'], { detached: true, stdio: 'ignore' });
    shell.unref();
    while (existsSync('/proc/self/stat') && !isAsleep(shell.pid)) Atomics.wait(clock, 0, 0, 5);
    appendFileSync(log, `shell ${shell.pid}\n`);
  }
  const message = {
    id: `m${made}`,
    model,
    role: 'assistant',
    content: [{ type: 'text', text: 'Done.' }],
    stop_reason: null,
    usage,
  };
  say({ type: 'assistant', message, uuid: `u${made}` });
}, every);
