// What cct itself says about some runs, in the form of each view of `cct schema --sql`.
import { rowsOnce as rows } from './fleet.js';

type Row = Readonly<Record<string, unknown>>;

interface Answer {
  expected(runs: string): Promise<string[]>;
  /** The rows of a database in the same form: it may give numbers as text. */
  read(rows: readonly Row[]): string[];
}

/** By the name of the view. */
export const answers: Readonly<Record<string, Answer>> = {
  cost_by_agent_type: answer(['type', 'sessions', 'messages', 'total_tokens', 'cost_usd'], async (runs) => {
    const own = await rows(['usage', '--by', 'session,project,agent', runs]);
    const typed = own.map(
      (row): Row => ({ ...row, type: isSpecial(row['agent']) ? row['agent'] : row['agent_type'], sessions: 1 }),
    );
    const sessions = (type: unknown) => {
      const named = typed.filter((row) => row['type'] === type).map((row) => row['session_id']);
      return new Set(named.filter((session) => session !== null)).size;
    };
    return sums(typed, ['type']).map((row) => ({ ...row, sessions: sessions(row['type']) }));
  }),
  cost_by_project_and_week: answer(['project', 'week', 'messages', 'total_tokens', 'cost_usd'], (runs) =>
    rows(['usage', '--by', 'project,week', runs]),
  ),
  calls_by_tool: answer(['tool', 'calls', 'errors', 'open', 'ms_total', 'ms_p50', 'ms_p95', 'ms_max'], async (runs) =>
    (await rows(['calls', '--by', 'tool', runs])).filter(({ calls }) => calls !== 0),
  ),
  failures_by_cause: answer(['what', 'cause', 'failures'], async (runs) => [
    ...counts(
      'session',
      (await rows(['usage', '--by', 'session', runs]))
        .filter(({ outcome }) => outcome !== null && outcome !== 'finished')
        .map(({ reason, outcome }) => reason ?? outcome),
    ),
    ...(await rows(['calls', '--by', 'tool', runs]))
      .filter(({ errors }) => errors !== 0)
      .map(({ tool, errors }) => ({ what: 'call', cause: tool, failures: errors })),
    ...counts(
      'message',
      (await rows(['messages', '--settled', runs]))
        .filter(({ status }) => status === 'failed')
        .map(({ error_code, error }) => error_code ?? error),
    ),
    ...counts(
      'finding',
      (await rows(['audit', runs])).filter(({ severity }) => severity === 'problem').map(({ rule }) => rule),
    ),
  ]),
  cache_share: answer(['model', 'cache_read_tokens', 'cache_read_share'], (runs) =>
    rows(['usage', '--by', 'model', runs]),
  ),
  unattributed_share: answer(['project', 'unattributed_usd', 'cost_usd', 'unattributed_share'], async (runs) => {
    const own = await rows(['usage', '--by', 'session,project,agent', runs]);
    const parts = sums(own, ['project', 'agent']);
    return sums(own, ['project']).map(({ project, cost_usd }) => {
      const part = parts.find((row) => row['project'] === project && row['agent'] === 'unattributed')?.['cost_usd'];
      const share = Math.round((Number(part ?? 0) / Number(cost_usd)) * 10_000) / 10_000;
      return { project, unattributed_usd: part ?? 0, cost_usd, unattributed_share: share };
    });
  }),
  slowest_agents: answer(
    ['session_id', 'agent', 'name', 'agent_type', 'wall_ms', 'active_ms', 'critical_ms'],
    async (runs) => (await rows(['trace', '--by', 'agent', runs])).filter((row) => row['to_scale']),
  ),
};

function answer(fields: readonly string[], expected: (runs: string) => Promise<readonly Row[]>): Answer {
  const textOf = (row: Row) => fields.map((field) => plain(row[field])).join(' | ');
  return {
    expected: async (runs) => (await expected(runs)).map(textOf).sort(),
    read: (own) => own.map(textOf).sort(),
  };
}

/** 1, "1" and "1.000000000000" are the same number. */
function plain(value: unknown): string {
  if (value == null || value === '') return 'null';
  return /^-?[\d.]+(?:e-?\d+)?$/.test(String(value)) ? String(Number(value)) : String(value);
}

function isSpecial(agent: unknown): boolean {
  return agent === 'main' || agent === 'unattributed';
}

/** Adds up rows with the same keys; money as whole numbers of 1e-12 dollars. */
function sums(own: readonly Row[], keys: readonly string[]): Row[] {
  const groups = new Map<string, Record<string, unknown>>();
  for (const row of own) {
    const id = JSON.stringify(keys.map((key) => row[key]));
    const before = groups.get(id);
    const money = (value: unknown) => BigInt(Math.round(Number(value ?? 0) * 1e12));
    const cost = row['cost_usd'] == null ? null : row['cost_usd'];
    if (before === undefined) groups.set(id, { ...row });
    else {
      before['messages'] = Number(before['messages']) + Number(row['messages']);
      before['total_tokens'] = Number(before['total_tokens']) + Number(row['total_tokens']);
      if (cost !== null) before['cost_usd'] = Number(money(before['cost_usd']) + money(cost)) / 1e12;
    }
  }
  return [...groups.values()];
}

function counts(what: string, causes: readonly unknown[]): Row[] {
  const found = new Map<unknown, number>();
  for (const cause of causes) found.set(cause, (found.get(cause) ?? 0) + 1);
  return [...found].map(([cause, failures]) => ({ what, cause, failures }));
}
