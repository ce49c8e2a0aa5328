import fc from 'fast-check';
import { messageRows, report, rowsOf, written } from './core/rows/used.js';
import { written as ev, readText } from './laws/reading.js';
import { ndjson, streams } from './streams.js';

const pieces = [['total'], ['model'], ['session'], ['day']] as any[];
const every = [...pieces, ['agent'], ['team'], ['turn'], ['agent', 'model'], ['session', 'turn', 'agent']] as any[];
const eq = (a: string, b: string, what: string) => {
  if (a !== b) throw new Error(what + '\n' + a + '\n---\n' + b);
};
const N = Number(process.argv[2] ?? 500);
fc.assert(
  fc.property(streams({ sessions: 3, steps: 40 }), fc.nat(1000), fc.constantFrom(...pieces), (made, cut, by) => {
    const records = made.filter((r: any) => r.type !== 'stream_event');
    const at = cut % (records.length + 1);
    eq(
      written(rowsOf([ndjson(records.slice(0, at)), ndjson(records.slice(at))].map(messageRows).join(''), by)),
      written(rowsOf(ndjson(records), by)),
      'cut ' + by,
    );
  }),
  { numRuns: N },
);
console.log('cut ok');
fc.assert(
  fc.property(streams({ sessions: 3, steps: 40 }), fc.constantFrom(...every), (records, by) => {
    const ids = [...new Set(records.map((r: any) => r.session_id))];
    const by_ = ids.map((id) => ndjson(records.filter((r: any) => r.session_id === id)));
    const direct = written(rowsOf(ndjson(records), by));
    eq(written(rowsOf(by_.map(messageRows).reverse().join(''), by)), direct, 'runs ' + by);
    eq(written(rowsOf(ndjson(records) + ndjson(records), by)), direct, 'twice ' + by);
    eq(written(rowsOf(ev(readText(ndjson(records)).events), by)), direct, 'norm ' + by);
  }),
  { numRuns: N },
);
console.log('runs ok');
fc.assert(
  fc.property(
    streams({ sessions: 2, steps: 40 }),
    fc.constantFrom('auto', 'reported', 'calculated') as any,
    (records, mode) => {
      const t = report(ndjson(records), ['total'], { mode }).total;
      for (const by of [...every, ['message']]) {
        const rows = rowsOf(ndjson(records), by, { mode });
        const s = rows.reduce((a, r) => a + r.total_tokens, 0);
        if (s !== t.total_tokens) throw new Error('tokens ' + by);
        const c = rows.reduce((a, r) => a + (r.cost_usd ?? 0), 0);
        if (Math.abs(c - (t.cost_usd ?? 0)) > 1e-9) throw new Error(`cost ${by} ${c} ${t.cost_usd}`);
        if (rows.some((r) => r.cost_usd !== null && r.cost_usd < 0)) throw new Error('neg');
      }
    },
  ),
  { numRuns: N },
);
console.log('sum ok');
