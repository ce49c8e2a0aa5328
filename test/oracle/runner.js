// Loads one build of cct and runs the command lines it is sent, in this process: starting Node for each would take a
// hundred times as long. It knows of the build only that dist/cli/main.cjs reads process.argv and sets process.exitCode.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable, Writable } from 'node:stream';

const program = process;
const main = program.argv[2];
const require = createRequire(main);

// Nothing may depend on when it runs.
const now = Date.parse('2026-11-20T12:00:00Z');
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...values) {
    super(...(values.length === 0 ? [now] : values));
  }

  static now() {
    return now;
  }
};

class Collected extends Writable {
  chunks = [];
  hash = createHash('sha1');
  keep;

  constructor(keep) {
    super({ decodeStrings: true });
    this.keep = keep;
  }

  _write(chunk, _encoding, done) {
    this.hash.update(chunk);
    if (this.keep) this.chunks.push(Buffer.from(chunk));
    done();
  }
}

/** Ends the command line that is running. */
let ended = () => {};
program.on('uncaughtException', (error) => ended(`uncaught: ${error.stack}`));

/** What the command takes for its process. Nothing it listens for will happen. */
function processWith(words, stdin, stdout, stderr) {
  const ignore = { value: () => program };
  return Object.create(program, {
    argv: { value: [program.execPath, 'cct', ...words] },
    stdin: { value: stdin === null ? Readable.from([]) : createReadStream(stdin) },
    stdout: { value: stdout },
    stderr: { value: stderr },
    exitCode: { get: () => undefined, set: (code) => ended(code) },
    exit: { value: (code) => ended(code) },
    ...Object.fromEntries(['on', 'once', 'off', 'removeListener'].map((name) => [name, ignore])),
  });
}

async function run({ id, words, stdin, keep }) {
  const stdout = new Collected(keep);
  const stderr = new Collected(keep);
  let late;
  const code = await new Promise((resolve) => {
    late = setTimeout(() => resolve('no end after 20 s'), 20_000);
    ended = resolve;
    globalThis.process = processWith(words, stdin, stdout, stderr);
    delete require.cache[main];
    try {
      require(main);
    } catch (error) {
      resolve(String(error));
    }
  });
  clearTimeout(late);
  const text = (from) => (keep ? Buffer.concat(from.chunks).toString() : from.hash.digest('base64'));
  program.send({ id, code, stdout: text(stdout), stderr: text(stderr) });
}

let last = Promise.resolve();
program.on('disconnect', () => program.exit());
program.on('message', (order) => {
  last = last.then(() => run(order));
});
