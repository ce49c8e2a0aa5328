// The schema command: prints the JSON Schema of events and rows, and SQL for the rows: tables, statements that load them,
// and views of what people ask for.
import type { Command } from '../../cli/command.js';
import { textOf } from '../../cli/flags/flags.js';
import { messageStatuses } from '../../core/event/event.js';
import { usageMessageRow } from '../../core/event/usage-row.js';
import {
  type Described,
  type Field,
  json,
  maybeText,
  type ObjectField,
  object,
  type Shape,
  text,
} from '../../core/record/describe.js';
import { describedSavedState } from '../../core/tables/saved-state.js';
import { isLost } from '../../core/tables/sends.js';
import { UsageError } from '../../io/exit.js';
import { version } from '../../version.js';
import { describedFinding, findingRow } from '../audit/row.js';
import { callRow, describedCall } from '../calls/row.js';
import { describedLine } from '../log/row.js';
import { describedMessage, messageRow } from '../messages/row.js';
import { describedReplay } from '../replay/row.js';
import { describedSession, sessionRow } from '../sessions/row.js';
import { describedTask, taskRow } from '../tasks/row.js';
import { describedMember, describedTeam, memberRow, teamRow } from '../teams/row.js';
import { accountRow, describedAccount, describedSpan, spanRow } from '../trace/row.js';
import { describedUsage, usageRow } from '../usage/row.js';
import { rowFields } from '../usage/rows.js';

const engines = ['duckdb', 'clickhouse'] as const;
type Engine = (typeof engines)[number];

/** The rows that have a schema. The command offers these and `event`. */
export const describedRows: readonly Described[] = [
  describedAccount,
  describedCall,
  describedFinding,
  describedLine,
  describedMember,
  describedMessage,
  describedReplay,
  describedSession,
  describedSpan,
  describedSavedState,
  describedTask,
  describedTeam,
  describedUsage,
];

export const schema: Command = {
  name: 'schema',
  kind: 'text',
  summary: 'print the JSON Schema of events and rows, or SQL tables for rows',
  description: [
    'The schema (draft 2020-12) is generated from the one cct uses for its own checks. It allows fields that it does not name, because later versions may add some.',
    '--sql prints statements for DuckDB or ClickHouse instead. They create a table for each kind of row, load it from the file that the comment above it names, and create views: cost by agent type and by project and week, times of tools, failures by cause, and more. Money is exact, and times are timestamps in UTC. The manual page cct-fleet(7) shows the whole way.',
  ],
  operand: {
    name: 'name',
    summary: 'what the schema describes',
    choices: ['event', ...describedRows.map(({ title }) => title)],
    default: 'event; with --sql, every row that has a table',
  },
  options: [{ flags: '--sql <engine>', summary: 'print SQL for this database', choices: engines }],
  shared: [],
  examples: [
    {
      does: 'Which fields can a result have?',
      run: `cct schema event | jq '."$defs"["session:ended"].properties | keys'`,
    },
    {
      does: 'Load the calls of many runs into DuckDB',
      run: 'cct calls --by call runs > calls.ndjson; cct schema --sql duckdb call | duckdb fleet.db',
    },
    { does: 'Keep it next to your types', run: 'cct schema event > cct-event.schema.json' },
  ],
  interest: () => ({ events: [] }),
  async run({ operands: [name], options, out }) {
    const engine = engines.find((each) => each === textOf(options, 'sql'));
    if (engine !== undefined) {
      const own = tables.filter(({ of }) => name === undefined || of.title === name);
      const titles = [...new Set(tables.map(({ of }) => of.title))];
      if (own.length === 0) throw new UsageError(`--sql has no table for ${name}, only for ${titles.join(', ')}`);
      out.write(sqlFor(engine, own));
      return;
    }
    // Imported here because it loads zod, and help and completion load every command.
    const { eventJsonSchema, rowJsonSchema } = await import('../../core/event/schema.js');
    const described = describedRows.find(({ title }) => title === name);
    const whole = described === undefined ? eventJsonSchema() : rowJsonSchema(described);
    out.write(`${JSON.stringify(whole, null, 2)}\n`);
  },
};

/** What the two engines write differently. */
interface Dialect {
  readonly types: Types;
  create(name: string, columns: string): string;
  load(name: string, files: string): string;
  /** The ISO week of a day. */
  week(day: string): string;
  /** The value that so many percent do not exceed. */
  percentile(percent: number, value: string): string;
  toFloat(value: string): string;
}

interface Types
  extends Readonly<Record<'text' | 'time' | 'day' | 'whole' | 'money' | 'share' | 'flag' | 'json', string>> {
  list(item: string): string;
  map(value: string): string;
  object(parts: string): string;
  orNull(type: string): string;
}

/** The statements for these tables, and the views that need no other tables. */
function sqlFor(engine: Engine, tables: readonly SqlTable[]): string {
  const dialect = dialects[engine];
  const known = new Set(tables.map(({ name }) => name));
  const shown = views.filter(({ from }) => from.every((name) => known.has(name)));
  const parts = [
    `-- Rows of cct ${version} in ${engineTitles[engine]}. All times are UTC.`,
    ...tables.map((table) => tableText(dialect, table)),
    ...(shown.length === 0 ? [] : ['-- Views']),
    ...shown.map(({ name, means, select }) => `-- ${means}\nCREATE OR REPLACE VIEW ${name} AS\n${select(dialect)};`),
  ];
  return `${parts.join('\n\n')}\n`;
}

const engineTitles = { duckdb: 'DuckDB', clickhouse: 'ClickHouse' };

function tableText(dialect: Dialect, { name, command, fields }: SqlTable): string {
  const columns = Object.entries(fields).map(
    ([field, described]) => `  ${quotedName(field)} ${typeOf(dialect.types, described)}`,
  );
  return [
    `-- ${command} runs > ${name}.ndjson`,
    dialect.create(name, columns.join(',\n')),
    dialect.load(name, `${name}*.ndjson`),
  ].join('\n');
}

function typeOf(types: Types, { kind, holds, of = json, fields = {}, values = [] }: Field): string {
  switch (kind) {
    case 'optional':
    case 'orNull':
      return types.orNull(typeOf(types, of));
    case 'text':
      return types[holds ?? 'text'];
    case 'number':
      return types[holds ?? 'whole'];
    case 'exactly':
      return typeof values[0] === 'number' ? types.whole : types.text;
    case 'oneOf':
      return types.text;
    case 'flag':
    case 'json':
      return types[kind];
    case 'list':
      return types.list(typeOf(types, of));
    case 'map':
      return of.kind === 'json' ? types.json : types.map(typeOf(types, of));
    case 'object': {
      const parts = Object.entries(fields).map(([name, part]) => `${quotedName(name)} ${typeOf(types, part)}`);
      return types.object(parts.join(', '));
    }
  }
}

function quotedName(field: string): string {
  return reserved.has(field) ? `"${field}"` : field;
}
const reserved = new Set(['from', 'to', 'order', 'group', 'select', 'where', 'table', 'limit', 'end', 'all']);

const duckdb: Dialect = {
  types: {
    text: 'VARCHAR',
    time: 'TIMESTAMP',
    day: 'DATE',
    whole: 'BIGINT',
    money: 'DECIMAL(38, 12)',
    share: 'DOUBLE',
    flag: 'BOOLEAN',
    json: 'JSON',
    list: (item) => `${item}[]`,
    map: (value) => `MAP(VARCHAR, ${value})`,
    object: (parts) => `STRUCT(${parts})`,
    orNull: (type) => type,
  },
  create: (name, columns) => `CREATE OR REPLACE TABLE ${name} (\n${columns}\n);`,
  load: (name, files) => `COPY ${name} FROM '${files}' (FORMAT json);`,
  week: (day) => `strftime(${day}, '%G-W%V')`,
  percentile: (percent, value) => `quantile_disc(${value}, ${percent / 100})`,
  toFloat: (value) => `CAST(${value} AS DOUBLE)`,
};

const clickhouse: Dialect = {
  types: {
    text: 'String',
    time: `DateTime64(3, 'UTC')`,
    day: 'Date',
    whole: 'Int64',
    money: 'Decimal(38, 12)',
    share: 'Float64',
    flag: 'Bool',
    json: 'Nullable(String)',
    list: (item) => `Array(${item})`,
    map: (value) => `Map(String, ${value})`,
    object: (parts) => `Tuple(${parts})`,
    // Lists, maps and tuples are never null in ClickHouse: they are empty.
    orNull: (type) => (/^(?:Nullable|Array|Map|Tuple)/.test(type) ? type : `Nullable(${type})`),
  },
  create: (name, columns) =>
    `CREATE OR REPLACE TABLE ${name} (\n${columns}\n) ENGINE = MergeTree ORDER BY session_id SETTINGS allow_nullable_key = 1;`,
  load: (name, files) =>
    `INSERT INTO ${name} FROM INFILE '${files}'\n  SETTINGS date_time_input_format = 'best_effort' FORMAT JSONEachRow;`,
  week: (day) => `formatDateTime(${day}, '%G-W%V')`,
  percentile: (percent, value) =>
    `if(count(${value}) = 0, NULL, arraySort(groupArray(${value}))[intDiv(count(${value}) * ${percent} + 99, 100)])`,
  toFloat: (value) => `toFloat64(${value})`,
};

const dialects: Readonly<Record<Engine, Dialect>> = { duckdb, clickhouse };

interface View {
  readonly name: string;
  readonly means: string;
  /** The tables it reads. */
  readonly from: readonly string[];
  select(dialect: Dialect): string;
}

const share = ({ toFloat }: Dialect, part: string, whole: string) =>
  `round(${toFloat(part)} / nullif(${toFloat(whole)}, 0), 4)`;

/** Columns have the name of their table in front, because ClickHouse would take `sum(cost_usd) AS cost_usd` for a loop. */
export const views: readonly View[] = [
  {
    name: 'cost_by_agent_type',
    means: 'What each type of agent costs. The cost that is part of no message is unattributed.',
    from: ['usage_agents'],
    select: () => `SELECT
  CASE WHEN usage.agent IN ('main', 'unattributed') THEN usage.agent ELSE usage.agent_type END AS type,
  count(DISTINCT usage.session_id) AS sessions,
  sum(usage.messages) AS messages,
  sum(usage.total_tokens) AS total_tokens,
  sum(usage.cost_usd) AS cost_usd
FROM usage_agents AS usage
GROUP BY type
ORDER BY cost_usd DESC NULLS LAST, type`,
  },
  {
    name: 'cost_by_project_and_week',
    means:
      'What each project costs in each week. Tokens without a price cost nothing here; usage_sessions.cost_source says how sure a cost is.',
    from: ['usage_agents'],
    select: ({ week }) => `SELECT
  usage.project AS project,
  ${week('usage.day')} AS week,
  sum(usage.messages) AS messages,
  sum(usage.total_tokens) AS total_tokens,
  sum(usage.cost_usd) AS cost_usd
FROM usage_agents AS usage
GROUP BY project, week
ORDER BY project, week`,
  },
  {
    name: 'calls_by_tool',
    means: 'How often each tool was called, how often it failed, and how long it took in milliseconds.',
    from: ['calls'],
    select: ({ percentile }) => `SELECT
  calls.tool AS tool,
  count(*) AS calls,
  count(*) FILTER (WHERE calls.is_error) AS errors,
  count(*) FILTER (WHERE calls.is_error IS NULL) AS open,
  sum(calls.ms) AS ms_total,
  ${percentile(50, 'calls.ms')} AS ms_p50,
  ${percentile(95, 'calls.ms')} AS ms_p95,
  max(calls.ms) AS ms_max
FROM calls
GROUP BY tool
ORDER BY tool`,
  },
  {
    name: 'failures_by_cause',
    means:
      'What went wrong how often: sessions, calls by tool, messages between agents, and findings of cct audit. One failure may be in several of these.',
    from: ['usage_sessions', 'calls', 'messages', 'findings'],
    select: () => `SELECT 'session' AS what, coalesce(reason, outcome) AS cause, count(*) AS failures
FROM usage_sessions WHERE outcome <> 'finished' GROUP BY cause
UNION ALL
SELECT 'call' AS what, tool AS cause, count(*) AS failures
FROM calls WHERE is_error GROUP BY cause
UNION ALL
SELECT 'message' AS what, coalesce(error_code, error) AS cause, count(*) AS failures
FROM messages WHERE status IN (${lost}) GROUP BY cause
UNION ALL
SELECT 'finding' AS what, rule AS cause, count(*) AS failures
FROM findings WHERE severity = 'problem' GROUP BY cause`,
  },
  {
    name: 'cache_share',
    means: 'Which share of the prompt tokens of each model came from the cache.',
    from: ['usage_agents'],
    select: (dialect) => `SELECT
  usage.model AS model,
  sum(usage.cache_read_tokens) AS cache_read_tokens,
  ${share(dialect, 'sum(usage.cache_read_tokens)', `sum(${promptTokens})`)} AS cache_read_share
FROM usage_agents AS usage
WHERE usage.messages > 0 OR usage.total_tokens > 0
GROUP BY model
ORDER BY model`,
  },
  {
    name: 'unattributed_share',
    means: 'Which share of the cost of each project is part of no message, so that nobody knows which agent spent it.',
    from: ['usage_agents'],
    select: (dialect) => `SELECT
  usage.project AS project,
  ${unattributed} AS unattributed_usd,
  sum(usage.cost_usd) AS cost_usd,
  ${share(dialect, unattributed, 'sum(usage.cost_usd)')} AS unattributed_share
FROM usage_agents AS usage
GROUP BY project
ORDER BY project`,
  },
  {
    name: 'slowest_agents',
    means: 'The agents that took longest, and where their time went. Runs without times are left out.',
    from: ['agents'],
    select:
      () => `SELECT session_id, agent, name, agent_type, wall_ms, active_ms, tool_ms, wait_agent_ms, wait_person_ms, idle_ms, critical_ms
FROM agents
WHERE to_scale
ORDER BY wall_ms DESC, session_id, agent`,
  },
];

/** Statuses of messages that never arrived. */
const lost = messageStatuses
  .filter((status) => isLost({ status }))
  .map((status) => `'${status}'`)
  .join(', ');

const unattributed = `coalesce(sum(usage.cost_usd) FILTER (WHERE usage.agent = 'unattributed'), 0)`;
const promptTokens =
  'usage.input_tokens + usage.cache_write_5m_tokens + usage.cache_write_1h_tokens + usage.cache_read_tokens';

// The rows of commands as tables of a database: which command writes the rows, and the description of a row.
interface SqlTable {
  readonly name: string;
  /** The rows that `cct schema` knows by this title. */
  readonly of: Described;
  /** The command that writes them. */
  readonly command: string;
  readonly fields: Shape;
}

export const tables: readonly SqlTable[] = [
  usageTable('usage_agents', ['session', 'project', 'agent', 'model', 'day']),
  usageTable('usage_sessions', ['session']),
  sqlTableOf('usage_messages', describedUsage, 'cct usage --by message', usageMessageRow),
  sqlTableOf('sessions', describedSession, 'cct sessions', sessionRow),
  sqlTableOf('teams', describedTeam, 'cct teams', teamRow),
  sqlTableOf(
    'members',
    describedMember,
    'cct teams --members',
    object({ team: text, session_id: maybeText, ...memberRow.fields }),
  ),
  sqlTableOf('tasks', describedTask, 'cct tasks --all', taskRow),
  sqlTableOf('messages', describedMessage, 'cct messages --settled', messageRow),
  sqlTableOf('calls', describedCall, 'cct calls --by call', callRow),
  sqlTableOf('findings', describedFinding, 'cct audit', findingRow),
  sqlTableOf('spans', describedSpan, 'cct trace', spanRow),
  sqlTableOf('agents', describedAccount, 'cct trace --by agent', accountRow),
];

function sqlTableOf(name: string, of: Described, command: string, { fields }: ObjectField<Shape>): SqlTable {
  return { name, of, command, fields };
}

/** Usage by some keys. Costs of messages and of results are settled in these rows, so their sums are right. */
function usageTable(name: string, by: Parameters<typeof rowFields>[0]): SqlTable {
  const all: Shape = usageRow.fields;
  const own = rowFields(by).flatMap((field) => (all[field] === undefined ? [] : [[field, all[field]] as const]));
  return sqlTableOf(name, describedUsage, `cct usage --by ${by.join()}`, object(Object.fromEntries(own)));
}
