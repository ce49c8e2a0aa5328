// Reads from a log where its lines come from: the CI service, and labels such as host, service or job.
import { isObject, type JsonObject } from './json.js';
import { type Logged, stripPrefix } from './line.js';

export interface Labels {
  readonly ci: string | null;
  readonly labels: Readonly<Record<string, string>>;
}

/** What the manual says about labels. Those of text are the named groups of `prefixes` in line.ts. */
export const logLabels = [
  ['host, unit', 'the machine and the systemd unit, from journald'],
  ['service', 'the name before the bar, in lines of docker compose or foreman'],
  ['job, step', 'of GitHub Actions, in the output of gh run view --log'],
  ['tag', 'of docker (--log-opt tag) or journald'],
  ['others', 'labels of docker (--log-opt labels) keep their names'],
] as const;

/** What journald calls them. The first that has a text counts. */
const places: Readonly<Record<string, readonly string[]>> = {
  host: ['_HOSTNAME'],
  unit: ['_SYSTEMD_USER_UNIT', '_SYSTEMD_UNIT'],
  tag: ['SYSLOG_IDENTIFIER'],
};

/** What the logs around a line say together. The log nearest to the line counts, and a short name before others. */
export function labelsOf(log: Logged): Labels {
  const found = new Map<string, string>();
  let ci: string | null = null;
  for (let at: Logged | null = log; at !== null; at = at.outer) {
    ci ??= at.ci;
    if (typeof at.said === 'string')
      stripPrefix(at.said, (prefix) => {
        ci ??= prefix.ci;
        for (const [name, value] of Object.entries(prefix.labels ?? {})) keepLabel(found, name, value);
      });
    else if (at.said !== null) noteAll(found, at.said);
  }
  return { ci, labels: Object.fromEntries(found) };
}

function noteAll(found: Map<string, string>, record: JsonObject): void {
  for (const [name, keys] of Object.entries(places)) for (const key of keys) keepLabel(found, name, record[key]);
  // docker run --log-opt labels, env, tag
  const { attrs } = record;
  if (isObject(attrs)) for (const [name, value] of Object.entries(attrs)) keepLabel(found, name, value);
}

function keepLabel(found: Map<string, string>, name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '' || found.has(name) || found.size >= mostLabels) return;
  if (name.length <= longestLabel && value.length <= longestLabel) found.set(name, value);
}

/** Only made-up input has more, or longer ones. */
const mostLabels = 100;
const longestLabel = 300;
