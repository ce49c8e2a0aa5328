// The manual page cct-fleet(7). test/fleet runs its commands, and `npm run fleet` measures its figures.
import type { Definitions, Example } from '../command.js';

export interface FleetSection {
  readonly title: string;
  readonly parts: readonly (string | Definitions | Example)[];
}

export const oneFolder: Example = {
  does: 'What did each project cost, week by week?',
  run: 'cct usage --by project,week runs',
};

export const manyCores: Example = {
  does: 'Four jobs at a time, twenty entries in each, a file of rows for each:',
  run: `mkdir rows &&
printf '%s\\0' runs/* |
  xargs -0 -P 4 -n 20 sh -c 'cct usage --by message "$@" > "rows/\${1##*/}.ndjson"' sh &&
cct usage --by project,week rows`,
};

export const sharedRuns: Example = {
  does: 'All machines see the runs in the same folder, such as a network disk or a mounted bucket:',
  run: `printf '%s\\0' runs/* |
  parallel -0 -k -n 20 -j 4 --retries 5 --workdir . -S build1,build2 \\
    cct usage --by message > rows.ndjson &&
cct usage --by project,week rows.ndjson`,
};

export const ownRuns: Example = {
  does: 'Each machine has the sessions that ran on it:',
  run: `parallel --nonall -j 4 -S build1,build2 \\
  cct usage --by message .claude/projects > rows.ndjson &&
cct usage --by project,week rows.ndjson`,
};

export const sshConfig: Example = {
  does: 'Lines for ~/.ssh/config. They compress the rows, and give up a machine that has not answered for 15 seconds. Without them ssh may wait for hours:',
  run: `Host build*
  Compression yes
  ConnectTimeout 15
  ServerAliveInterval 5
  ServerAliveCountMax 3`,
};

export const intoDuckdb: Example = {
  does: 'Make the rows of the folder runs, load them into the file fleet.db, and ask:',
  run: `cct schema --sql duckdb | sed -n 's/^-- cct /cct /p' | sh -e &&
cct schema --sql duckdb | duckdb fleet.db &&
duckdb fleet.db 'FROM cost_by_project_and_week'`,
};

export const intoParquet: Example = {
  does: 'Keep the calls as Parquet, in a folder for each month, and ask them without loading anything:',
  run: `duckdb fleet.db "COPY (SELECT *, strftime(time, '%Y-%m') AS month FROM calls)
  TO 'calls' (FORMAT parquet, PARTITION_BY month, OVERWRITE)"
duckdb -c "SELECT month, tool, count(*) AS calls FROM 'calls/*/*.parquet'
  GROUP BY month, tool ORDER BY month, tool"`,
};

export const intoClickhouse: Example = {
  does: 'The same in ClickHouse. The client reads the rows from its own folder:',
  run: `cct schema --sql clickhouse | sed -n 's/^-- cct /cct /p' | sh -e &&
cct schema --sql clickhouse | clickhouse-client &&
clickhouse-client -q 'SELECT * FROM cost_by_project_and_week'`,
};

export const ontoShards: Example = {
  does: 'On each shard of a cluster named fleet, the rows of its runs:',
  run: `cct schema --sql clickhouse | sed -n 's/^-- cct /cct /p' | sh -e &&
clickhouse-client -q 'CREATE DATABASE IF NOT EXISTS shard' &&
cct schema --sql clickhouse | clickhouse-client --database shard`,
};

/** `tables` are the names of all tables. */
export const overShards = (tables: readonly string[]): Example => ({
  does: 'Then on the machine where you ask: tables of the same names over all shards, and views of these:',
  run: `clickhouse-client -q 'CREATE DATABASE IF NOT EXISTS fleet ON CLUSTER fleet'
for table in ${inLines(tables)}
do
  echo "CREATE OR REPLACE TABLE fleet.$table ON CLUSTER fleet AS shard.$table
    ENGINE = Distributed(fleet, shard, $table, cityHash64(ifNull(session_id, '')));"
done | clickhouse-client
cct schema --sql clickhouse | sed '1,/^-- Views/d' | clickhouse-client --database fleet`,
});

function inLines(names: readonly string[]): string {
  return names.map((name, at) => (at > 0 && at % 6 === 0 ? `\\\n  ${name}` : name)).join(' ');
}

/** Commands whose rows need no last step. */
export const sideBySide = 'teams, tasks, messages, audit, trace, calls --by call';

/** Printed by `npm run fleet`. */
const figures: Example = {
  does: 'Recordings of about 100 kB with four messages each, 500 in a job. Times are CPU time of a small server. 10,000 were measured, the rest is arithmetic:',
  run: `runs                                10,000   1 million
input                                 1 GB      100 GB
messages                            40,000   4 million
one cct over the folder              7.1 s      12 min
  memory                            320 MB       21 GB
all jobs with --by message            21 s      36 min
rows to move                         53 MB      5.3 GB
  compressed                        3.6 MB      360 MB
the last step                        3.5 s     5.8 min
  memory                            200 MB       10 GB
all jobs with --by session            21 s      35 min
rows to move                        6.7 MB      670 MB
  compressed                        550 kB       55 MB`,
};

/** `views` are those of `cct schema --sql`, with what they mean. */
export const fleetSections = (tables: readonly string[], views: Definitions): readonly FleetSection[] => [
  {
    title: 'DESCRIPTION',
    parts: [
      'This page goes from one folder of runs to many machines. Go only as far as you need: one cct reads more than 100 MB a second, so a folder of 10,000 runs takes seconds. The tests of cct run the commands of this page; those of ClickHouse on its embedded engine, without a cluster.',
    ],
  },
  {
    title: 'ONE FOLDER',
    parts: [
      oneFolder,
      'A folder stands for all recordings, transcripts and subagents in it and below it, in files that end in .ndjson, .jsonl or .json, also compressed with gzip. It can be a folder of recordings, ~/.claude/projects, or copies of that folder from several machines. Every session says itself which project, branch and version it belongs to.',
      'Any number of keys can be combined: by agent, team, model, day, session and more. See cct-usage(1).',
    ],
  },
  {
    title: 'ROWS',
    parts: [
      'To split the work or to use a database, print rows:',
      [
        [
          'usage --by message',
          'one row for each API message, and for each result and model. These are the only rows that cct reads again. usage of the rows equals usage of the runs, by any key, byte for byte. A message that is in several sessions, as after a fork, counts once',
        ],
        [
          'usage --by session',
          'one row for each session: what it cost, when it ran, how it ended, its project, branch, version, CI service and labels',
        ],
        [
          'usage --by project,week',
          'sums, by any keys. Tokens, messages and cost_usd may be added up if no session is in two inputs',
        ],
        [
          sideBySide,
          'one row for each thing. Rows of several runs are the rows of each of them, perhaps in another order',
        ],
        ['normalize', 'all events. Every command reads them in place of the run. This is the largest output'],
      ],
    ],
  },
  {
    title: 'MANY CORES',
    parts: [
      'Each file or folder directly in runs goes to one job, so it must have whole sessions: a recording, or a project with its transcripts and subagents. Do not split the files of one session over two jobs: its turns and agents would be wrong.',
      manyCores,
      'Do not let several jobs write into one pipe: long lines of one get into the middle of lines of another. xargs exits with an error if a job fails, and && then keeps the last line from printing part of the answer. The last line can be repeated with other keys, without reading the runs again.',
    ],
  },
  {
    title: 'MANY MACHINES',
    parts: [
      'GNU parallel starts the jobs by ssh. Each machine needs cct of the same version on the path that ssh gives it; check with: ssh build1 cct --version.',
      sharedRuns,
      [
        [
          '-n 20',
          'entries in each job. A job starts ssh and cct, which takes half a second, so give it work for several seconds: hundreds of small runs, or one large project',
        ],
        ['-j 4', 'jobs at a time on each machine'],
        ['--retries 5', 'a job that fails, or whose machine dies, runs again on another machine; five times in all'],
        [
          '--workdir .',
          'run in the folder you are in now; if it is below your home, in the same one below the home there',
        ],
        ['-k', 'rows in the order of the runs. Needed only if the last step is --by message'],
      ],
      'parallel prints the output of a job when the job has ended, and of a job that failed only the last try. If that fails too, parallel exits with an error, and && keeps cct from printing part of the answer.',
      sshConfig,
      ownRuns,
      'Nobody else can read the sessions of a machine that is down, so there are no retries here: the command fails and stderr names the machine.',
    ],
  },
  {
    title: 'DUCKDB',
    parts: [
      'cct schema --sql prints a table for each kind of row, a statement that loads it, and views. The comment above each table is the command that makes its rows.',
      intoDuckdb,
      'Each table is loaded from all files that begin with its name, so rows of several machines can stand side by side: calls-build1.ndjson, calls-build2.ndjson. Loading again replaces a table. Columns have types: money is DECIMAL and exact, times are timestamps in UTC, lists are lists. A database that guesses types takes money for floating-point numbers, and takes about three times as long if it looks at every row.',
      'The views:',
      views,
      intoParquet,
    ],
  },
  {
    title: 'CLICKHOUSE',
    parts: [
      intoClickhouse,
      ontoShards,
      overShards(tables),
      'A row belongs to the machine that loaded it, so no row travels until somebody asks. Rows of many machines in one place can be inserted into the tables of the database fleet instead; they send each session to one shard.',
    ],
  },
  {
    title: 'WHAT IT TAKES',
    parts: [
      figures,
      'Node gives a process about 4 GB of memory: enough for 100,000 such runs, or for the rows of 300,000. NODE_OPTIONS=--max-old-space-size=16000 gives it 16 GB.',
      'More machines share the jobs, but not the last step. It remembers every message, because another session may have the same one. Steps in between do not help: only rows by message can be read again, and joining them makes no fewer of them.',
      'For a million runs, let the jobs print sums, such as usage --by session,project,agent,model,day, and add them up in a database. That is exact if a session and its forks are in one job, as they are in a project.',
    ],
  },
];
