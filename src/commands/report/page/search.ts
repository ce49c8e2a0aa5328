// Finds calls, messages, tasks and agents by their words.
import type { Place } from './address.js';
import type { Run } from './run.js';
import { readable } from './text.js';

export interface Hit {
  readonly key: string;
  readonly at: number;
  readonly label: string;
  readonly to: Partial<Place>;
}

/** Every word has to match. Returns only as many hits as anybody reads. */
export function search(run: Run, query: string): Hit[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const fits = (text: string) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
  const hits: Hit[] = [];
  for (const [id, { at, called, returned }] of run.calls) {
    const label = `${called?.tool ?? returned?.tool ?? 'call'} ${readable(called?.input).slice(0, longest)}`;
    if (fits(`${label} ${readable(returned?.result).slice(0, longest)}`))
      hits.push({ key: `call ${id}`, at, label: label.slice(0, 200), to: { call: id } });
  }
  run.playback.messages.forEach(({ at, row }, index) => {
    const label = `${row.from} → ${row.to ?? row.recipients.join(', ')}: ${row.summary ?? row.content ?? ''}`;
    if (fits(`${label} ${(row.content ?? '').slice(0, longest)}`))
      hits.push({ key: `message ${index}`, at, label: label.slice(0, 200), to: { message: index } });
  });
  for (const task of run.playback.end.tasks) {
    const label = `Task ${task.id} ${task.subject ?? ''}`;
    if (fits(`${label} ${task.description ?? ''} ${task.owner ?? ''}`))
      hits.push({
        key: `task ${task.session_id} ${task.kind} ${task.owner} ${task.id}`,
        at: run.playback.atTime(task.created_at, task.session_id) ?? 0,
        label: label.slice(0, 200),
        to: { task: `${task.kind}:${task.id}` },
      });
  }
  for (const lane of run.lanes)
    if (!lane.isHeading && fits(lane.name))
      hits.push({ key: `agent ${lane.id}`, at: lane.start, label: `Agent ${lane.name}`, to: { agent: lane.id } });
  return hits.slice(0, mostHits).sort((a, b) => a.at - b.at);
}

const longest = 20_000;
const mostHits = 1000;
