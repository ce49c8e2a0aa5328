// Reads from a log where its lines come from: the CI service, and labels such as host, pod or job.
import { isObject, type JsonObject } from './json.js';
import { type Logged, stripPrefix } from './line.js';

export interface Labels {
  readonly ci: string | null;
  readonly labels: Readonly<Record<string, string>>;
}

/** What the manual says about labels. Those of text are the named groups of `prefixes` in line.ts. */
export const logLabels = [
  ['host', 'the machine'],
  ['unit', 'the systemd unit'],
  ['namespace, pod, container', 'of Kubernetes or docker'],
  ['service', 'the name before the bar, in lines of docker compose or foreman'],
  ['job, step', 'of GitHub Actions, in the output of gh run view --log'],
  ['tag', 'of docker (--log-opt tag), syslog or GNU parallel (--tag)'],
  ['others', 'labels of docker (--log-opt labels), Kubernetes, vector, filebeat and Loki keep their names'],
] as const;

/** Where collectors write labels that get a short name. The first place that has a text counts. */
const places: Readonly<Record<string, readonly string[]>> = {
  // journald · fluent-bit and fluentd · vector · filebeat · pino
  host: [
    ...['_HOSTNAME', 'kubernetes.host', 'kubernetes.pod_node_name', 'kubernetes.node.name'],
    ...['host.name', 'host', 'hostname'],
  ],
  unit: ['_SYSTEMD_USER_UNIT', '_SYSTEMD_UNIT'],
  namespace: ['kubernetes.namespace_name', 'kubernetes.pod_namespace', 'kubernetes.namespace'],
  pod: ['kubernetes.pod_name', 'kubernetes.pod.name'],
  container: [
    ...['kubernetes.container_name', 'kubernetes.container.name', 'CONTAINER_NAME', 'container_name'],
    'container.name',
  ],
  // docker run --log-opt tag, systemd-cat -t
  tag: ['CONTAINER_TAG', 'SYSLOG_IDENTIFIER'],
};

/** Labels that keep their names: of docker (--log-opt labels, env, tag), Kubernetes, vector, filebeat and Loki. */
const maps = ['attrs', 'labels', 'label', 'kubernetes.labels', 'kubernetes.pod_labels', 'container.labels'];

/** What the logs around a line say together. The log nearest to the line counts, and a short name before others. */
export function labelsOf(log: Logged): Labels {
  const found = new Map<string, string>();
  let ci: string | null = null;
  for (let at: Logged | null = log; at !== null; at = at.outer) {
    ci ??= at.ci;
    if (typeof at.said === 'string')
      stripPrefix(at.said, (prefix) => {
        ci ??= prefix.ci;
        for (const [name, value] of Object.entries(prefix.labels ?? {})) note(found, name, value);
      });
    else if (at.said !== null) noteAll(found, at.said);
  }
  return { ci, labels: Object.fromEntries(found) };
}

function noteAll(found: Map<string, string>, record: JsonObject): void {
  for (const [name, paths] of Object.entries(places))
    for (const path of paths) {
      const value = valueAt(record, path);
      // Docker puts a slash before the names of containers.
      if (typeof value === 'string') note(found, name, name === 'container' ? value.replace(/^\//, '') : value);
    }
  for (const path of maps) {
    const map = valueAt(record, path);
    if (isObject(map)) for (const [name, value] of Object.entries(map)) note(found, name, value);
  }
}

function note(found: Map<string, string>, name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '' || found.has(name) || found.size >= mostLabels) return;
  if (name.length <= longest && value.length <= longest) found.set(name, value);
}

/** Only made-up input has more, or longer ones. */
const mostLabels = 100;
const longest = 300;

function valueAt(record: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), record);
}
