import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { graph } from '../../../src/commands/tasks/drawings.js';
import { check } from '../../laws/check.js';
import { hostileTask, task } from './task-rows.js';

const board = [
  task('1', { subject: 'Survey the sources', status: 'completed', owner: 'researcher', blocks: ['3'] }),
  task('2', { subject: 'Write', status: 'in_progress', blocks: ['3'] }),
  task('3', { subject: null, blocked_by: ['1', '2', '99'] }),
  task('4', { ready: true }),
];

describe('mermaid', () => {
  test('draws each task and each dependency once', () => {
    expect(`\n${graph('mermaid', board)}`).toBe(`
flowchart LR
  n1["1 Survey the sources · researcher"]:::done
  n2["2 Write"]:::active
  n3["3"]:::pending
  n4["4 task 4"]:::ready
  n5["99"]:::other
  n1 --> n3
  n2 --> n3
  n5 --> n3
  classDef done fill:#dfd,stroke:#2a7,color:#333
  classDef active fill:#def,stroke:#27a,color:#333
  classDef pending fill:#fff,stroke:#999,color:#333
  classDef ready fill:#fff,stroke:#2a7,color:#333,stroke-width:2px
  classDef other fill:#fff,stroke:#999,color:#666,stroke-dasharray:3 3
`);
  });

  test('keeps teams apart', () => {
    const rows = [task('1', { blocks: ['2'] }), task('2', { team: 'next', blocked_by: ['1'] })];
    expect(`\n${graph('mermaid', rows)}`).toContain(`
  subgraph g1["crew"]
    n1["1 task 1"]:::pending
    n3["2"]:::other
  end
  subgraph g2["next"]
    n2["2 task 2"]:::pending
    n4["1"]:::other
  end
  n1 --> n3
  n4 --> n2
`);
  });

  test('writes what could mean something as character codes', () => {
    const subject = '"] click n1 "javascript:x" %%{init}%% `md` <b> & #35;';
    expect(graph('mermaid', [task('1', { subject })])).toContain(
      'n1["1 #34;#93; click n1 #34;javascript#58;x#34; #37;#37;#123;init#125;#37;#37; #96;md#96; #60;b#62; #38; #35;35#59;"]',
    );
  });

  test('is empty, but a drawing, without tasks', () => {
    expect(graph('mermaid', [])).toBe('flowchart LR\n');
  });
});

describe('dot', () => {
  test('draws each task and each dependency once', () => {
    expect(`\n${graph('dot', board)}`).toBe(`
digraph tasks {
  rankdir=LR;
  node [shape=box, style="rounded,filled", fillcolor=white];
  n1 [label="1 Survey the sources · researcher", color=seagreen, fillcolor=honeydew];
  n2 [label="2 Write", color=steelblue, fillcolor=aliceblue];
  n3 [label="3", color=gray];
  n4 [label="4 task 4", color=seagreen, penwidth=2];
  n5 [label="99", color=gray, fontcolor=gray, style="rounded,dashed"];
  n1 -> n3;
  n2 -> n3;
  n5 -> n3;
}
`);
  });

  test('keeps teams apart', () => {
    const rows = [task('1'), task('1', { team: 'a "b" \\' })];
    expect(graph('dot', rows)).toContain(`  subgraph cluster_2 {
    label="a \\"b\\" \\\\";
    n2 [label="1 task 1", color=gray];
  }
`);
  });

  test('is empty, but a drawing, without tasks', () => {
    expect(graph('dot', [])).toMatch(/^digraph tasks \{\n(?: {2}.*;\n)*\}\n$/);
  });
});

test('the todos of two agents, and work with the id of a task, are boxes of their own', () => {
  const rows = [
    task('1'),
    task('1', { kind: 'todo', owner: 'a' }),
    task('1', { kind: 'todo', owner: 'b' }),
    task('1', { kind: 'background' }),
  ];
  expect(graph('dot', rows).match(/label=/g)).toHaveLength(4);
});

describe('whatever is in the rows', () => {
  const rows = fc.array(hostileTask, { maxLength: 5 });

  test('every line of mermaid is one of ours', () => {
    const label = String.raw`"(?:[\p{L}\p{M}\p{N} .,_·…-]|#\d+;)*"`;
    const ours = new RegExp(
      String.raw`^(?:flowchart LR|  (?:(?:  )?n\d+\[${label}\]:::[a-z]+|subgraph g\d+\[${label}\]|end|n\d+ --> n\d+|classDef [a-z]+ [a-z0-9:#, -]+))$`,
      'u',
    );
    check(
      fc.property(rows, (rows) => {
        const lines = graph('mermaid', rows).trimEnd().split('\n');
        expect(lines.filter((line) => !ours.test(line))).toEqual([]);
      }),
      300,
    );
  });

  test('every line of dot is one of ours', () => {
    const label = String.raw`"(?:[^"\\\p{Cc}\p{Cs}\p{Bidi_Control}]|\\["\\])*"`;
    const attribute = String.raw`(?:label=${label}|[a-z]+=(?:[a-z]+|\d|"rounded,[a-z]+"))`;
    const ours = new RegExp(
      String.raw`^(?:digraph tasks \{|\}|  (?:  )?(?:rankdir=LR;|(?:n\d+|node) \[(?:shape=box, )?${attribute}(?:, ${attribute})*\];|subgraph cluster_\d+ \{|\}|label=${label};|n\d+ -> n\d+;))$`,
      'u',
    );
    check(
      fc.property(rows, (rows) => {
        const lines = graph('dot', rows).trimEnd().split('\n');
        expect(lines.filter((line) => !ours.test(line))).toEqual([]);
      }),
      300,
    );
  });
});
