// The panels beside the story: board, agents with their cost, files and findings.
import { useMemo, useState } from 'preact/hooks';
import { thousands } from '../../../view/text.js';
import type { FindingRow } from '../../audit/row.js';
import type { Snapshot } from '../playback.js';
import { type EditedFile, filesOf, statusWords } from '../story.js';
import { costText } from '../summary.js';
import { clockText, Heads, Parts, Title } from './parts.js';
import type { Run, View } from './run.js';

export interface PanelProps extends View {
  /** Chooses the next or previous line of the story. */
  onNext(by: 1 | -1): void;
}

const boardColumns = [
  ['pending', 'Pending'],
  ['in_progress', 'In progress'],
  ['completed', 'Done'],
] as const;

export function Board({ now, at, run, place, go }: PanelProps) {
  const { tasks } = now();
  const shown = tasks.filter((task) => boardColumns.some(([status]) => status === task.status));
  const others = tasks.filter((task) => !shown.includes(task));
  const later = run.playback.end.tasks.length - tasks.length;
  const chosen = place.choice?.is === 'task' ? place.choice.id : null;
  return (
    <>
      <Title text="Board" note={`at ${clockText(at, run.playback.length)}`} />
      {tasks.length === 0 ? <p class="note">No task yet.</p> : null}
      <div class="board">
        {(tasks.length === 0 ? [] : boardColumns).map(([status, title]) => (
          <div key={status}>
            <h3>{title}</h3>
            <ul>
              {shown
                .filter((task) => task.status === status)
                .map((task) => {
                  const key = `${task.kind}:${task.id}`;
                  return (
                    <li key={`${task.session_id} ${task.owner} ${key}`}>
                      <button
                        type="button"
                        aria-current={chosen === key}
                        onClick={() => go({ choice: { is: 'task', id: key } })}
                      >
                        <span class="note">{task.id.slice(0, 6)}</span>{' '}
                        {(status === 'in_progress' && task.active_form) || task.subject || 'no subject'}
                        {task.owner === null ? null : <span class="note"> {task.owner}</span>}
                      </button>
                    </li>
                  );
                })}
            </ul>
          </div>
        ))}
      </div>
      {others.length === 0 ? null : (
        <p class="note">
          {others.map((task) => `${task.id} ${statusWords(task.status)}: ${task.subject ?? ''}`).join(' · ')}
        </p>
      )}
      {later > 0 ? <p class="note">{later} more come later.</p> : null}
    </>
  );
}

/** What is known of the agent of each lane. */
export function membersByLane(run: Run, teams: Snapshot['teams']): Map<string | undefined, TeamMember> {
  return new Map(
    teams.flatMap(({ session_id, members }) =>
      members.map((member) => [run.laneOf(session_id, member.agent_id, member.name)?.id, member] as const),
    ),
  );
}
type TeamMember = Snapshot['teams'][number]['members'][number];

/** Each agent at the clock: its state, and what it has spent. */
export function Cost({ run, now, place, go }: PanelProps) {
  const { teams, spent: rows, total } = now();
  const members = membersByLane(run, teams);
  const spent = rows.map((row) => {
    const lane = run.laneOfRow(row);
    return { row, lane, member: members.get(lane?.id), place: lane === null ? Infinity : run.lanes.indexOf(lane) };
  });
  spent.sort((a, b) => a.place - b.place);
  return (
    <>
      {teams.map(({ team, status, description, error, session_id }) => (
        <div key={`${session_id} ${team}`}>
          <h2>
            {team} <span class={toneOf(status)}>{statusWords(status)}</span> <span class="note">{description}</span>
          </h2>
          {error === null ? null : <p class="banner wrong">{error}</p>}
        </div>
      ))}
      <table>
        <caption class="note">Cost and tokens so far</caption>
        <Heads names={['agent', 'status', 'calls', 'tokens', 'cost']} numbers={2} />
        <tbody>
          {spent.map(({ row, lane, member }) => (
            <tr key={`${row.agent}`} class={lane !== null && lane.id === place.agent ? 'chosen' : ''}>
              <td>
                {lane === null ? (
                  (row.name ?? row.agent ?? 'of no agent that is known')
                ) : (
                  <button type="button" class="link" onClick={() => go({ agent: lane.id, tab: null, choice: null })}>
                    {lane.name}
                  </button>
                )}
              </td>
              <td class={member === undefined ? '' : toneOf(member.status)}>
                {member === undefined ? '' : statusWords(member.status)}
              </td>
              <td class="number">
                {member?.tool_calls ?? ''}
                {member !== undefined && member.tool_errors > 0 ? (
                  <span class="bad">, {member.tool_errors} failed</span>
                ) : null}
              </td>
              <td class="number">{thousands(row.total_tokens)}</td>
              <td class="number">
                {row.total_tokens === 0 && row.cost_source === 'lower_bound' ? 'unknown' : costText(row)}
              </td>
            </tr>
          ))}
          <tr>
            <th scope="row">total</th>
            <td />
            <td />
            <td class="number">{thousands(total?.total_tokens ?? 0)}</td>
            <td class="number" data-cost={total?.cost_usd ?? ''}>
              {total === undefined ? '' : costText(total)}
            </td>
          </tr>
        </tbody>
      </table>
    </>
  );
}

/** What was edited, by whom, how often; a file opens to its changes. */
export function Files(props: PanelProps) {
  const { run, at } = props;
  const files = useMemo(() => filesOf(run.story().entries), [run]);
  const [open, setOpen] = useState<string | null>(null);
  return (
    <>
      <Title text="Files" note={`${thousands(files.length)} edited`} />
      {files.length === 0 ? <p class="note">No file was edited with a tool for that.</p> : null}
      <ul class="found">
        {files.map((file) => (
          <li key={file.path}>
            <button
              type="button"
              aria-expanded={open === file.path}
              class={file.edits.every((edit) => edit.at > at) ? 'ahead' : ''}
              onClick={() => setOpen(open === file.path ? null : file.path)}
            >
              <span class="fold" aria-hidden="true" /> <code>{file.path}</code> <FileFacts file={file} />
            </button>
            {open === file.path ? <Edits {...props} file={file} /> : null}
          </li>
        ))}
      </ul>
    </>
  );
}

function FileFacts({ file: { edits, added, removed, failed, by } }: { file: EditedFile }) {
  return (
    <>
      <span class="good">+{thousands(added)}</span> <span class="bad">−{thousands(removed)}</span>{' '}
      <span class="note">
        {edits.length === 1 ? 'once' : `${thousands(edits.length)} times`} by{' '}
        {by.map(([name, times]) => (by.length === 1 ? name : `${name} ${times}`)).join(', ')}
      </span>
      {failed > 0 ? <span class="bad"> {failed} failed</span> : null}
    </>
  );
}

function Edits({ run, at, file, place, go }: View & { file: EditedFile }) {
  return (
    <ol class="edits">
      {file.edits.map((edit) => (
        <li key={edit.index} class={edit.at > at ? 'ahead' : ''}>
          <button
            type="button"
            aria-current={place.choice?.is === 'call' && place.choice.id === edit.choice.id}
            onClick={() => go({ choice: edit.choice })}
          >
            <span class="note">{clockText(edit.at, run.playback.length)}</span> {edit.line?.name}
            {edit.line?.bad ? <span class="bad"> failed</span> : null}
          </button>
          <Parts parts={(edit.line?.parts ?? []).filter(({ changes }) => changes !== undefined)} />
        </li>
      ))}
    </ol>
  );
}

export function Findings(props: PanelProps) {
  const { findings } = props.run;
  return (
    <>
      <Title text="Findings" note={findings.length} />
      {findings.length === 0 ? <p class="note">Nothing went wrong that cct knows of.</p> : null}
      <ul class="found">
        {findings.map((finding, index) => (
          <FindingLine key={index} {...props} finding={finding} index={index} />
        ))}
      </ul>
    </>
  );
}

type FindingProps = View & {
  readonly finding: FindingRow;
  readonly index: number;
};

export function FindingLine({ run, at, place, go, finding, index }: FindingProps) {
  const choice = { is: 'finding', id: String(index) } as const;
  const entry = run.story().entryOf(choice);
  return (
    <li>
      <button
        type="button"
        class={entry !== undefined && entry.at > at ? 'ahead' : ''}
        aria-current={place.choice?.is === 'finding' && place.choice.id === choice.id}
        onClick={() => go({ choice })}
      >
        <span class="note">{entry === undefined ? '' : clockText(entry.at, run.playback.length)}</span>{' '}
        <span class={finding.severity === 'problem' ? 'bad' : 'warn'}>{statusWords(finding.rule)}</span>{' '}
        {finding.agent === null ? '' : `${finding.agent}: `}
        {finding.detail}
      </button>
    </li>
  );
}

export function toneOf(status: string): string {
  if (/fail|error|unfinished|stopped/.test(status)) return 'bad';
  if (/active|idle|shutting/.test(status)) return 'warn';
  return /success|finished|completed|ended|cleaned|shutdown/.test(status) ? 'good' : 'note';
}
