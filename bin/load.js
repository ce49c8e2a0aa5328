// Loads the files of the command with the code that V8 made of them at build time, so that it need not make it again.
const { readFileSync } = require('node:fs');
const { Script } = require('node:vm');

/** Only the very V8 that made the code can run it. */
exports.codeFile = () => `code-${process.versions.v8}-${process.arch}.bin`;

/** `codes`: the code of each file, as far as there is any. `scripts`: what was loaded. */
exports.loader = (folder, codes) => {
  const scripts = new Map();
  const loaded = new Map();
  function load(name) {
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const exports = {};
    loaded.set(name, exports);
    const text = `${head}${readFileSync(`${folder}/${name}`, 'latin1')}\n})`;
    // The code has the name in it, so it is the same wherever cct is.
    const script = new Script(text, { filename: name, columnOffset: -head.length, cachedData: codes.get(name) });
    scripts.set(name, script);
    script.runInThisContext()(exports, (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id)), folder);
    return exports;
  }
  return { load, scripts };
};

const head = '(function (exports, require, __dirname) { ';

// All code is in one file, because most of an install is the making of files: first its lengths, in a line of JSON.
exports.pack = (codes) => {
  const lengths = [...codes].map(([name, code]) => [name, code.length]);
  return Buffer.concat([Buffer.from(`${JSON.stringify(lengths)}\n`), ...codes.values()]);
};

exports.unpack = (packed) => {
  let at = packed.indexOf('\n') + 1;
  const codes = new Map();
  for (const [name, length] of JSON.parse(packed.latin1Slice(0, at))) {
    codes.set(name, packed.subarray(at, at + length));
    at += length;
  }
  return codes;
};
