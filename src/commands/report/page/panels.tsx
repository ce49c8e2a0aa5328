// The panels beside the story: board, agents and their cost, files and findings.
import { useMemo, useState } from 'preact/hooks';
import type { TeamRow } from '../../teams/row.js';
import { type EditedFile, filesOf } from '../files.js';
import type { Snapshot } from '../playback.js';
import { type Compared, comparisonOf } from '../summary.js';
import type { Place } from './address.js';
import { Parts } from './parts.js';
import type { Run } from './run.js';
import { clock, count, money, shortModel } from './text.js';

export interface PanelProps {
  readonly run: Run;
  readonly at: number;
  readonly now: Snapshot;
  readonly place: Place;
  go(to: Partial<Place>): void;
  /** Chooses the next or previous line of the story. */
  onNext(by: 1 | -1): void;
}

/** A card for each agent, working or done, under its team; below, what each has spent. */
export function Agents(props: PanelProps) {
  const { now, run, place, go } = props;
  return (
    <>
      {now.teams.map((team) => (
        <div key={`${team.session_id} ${team.team}`}>
          <h2>
            {team.team} <span class={toneOf(team.status)}>{words(team.status)}</span>{' '}
            <span class="note">
              {team.description ?? ''} {money(team.cost_usd)}
            </span>
          </h2>
          {team.error === null ? null : <p class="banner wrong">{team.error}</p>}
          <ul class="cards">
            {team.members.map((member) => {
              const lane = run.laneOf(team.session_id, member.agent_id, member.name);
              const id = lane?.id ?? member.name;
              return (
                <li
                  key={member.agent_id ?? member.name}
                  class={`card${place.agent === id ? ' chosen' : ''}`}
                  style={{ '--hue': `var(--${lane?.hue ?? 'blue'})` }}
                >
                  <Member
                    {...props}
                    team={team}
                    member={member}
                    onName={() => go({ agent: place.agent === id ? null : id })}
                  />
                </li>
              );
            })}
          </ul>
        </div>
      ))}
      {run.settings.compare ? null : <Money now={now} />}
    </>
  );
}

type MemberRow = TeamRow['members'][number];

/** What is known of an agent. */
export function Member({ member, onName }: PanelProps & { team: TeamRow; member: MemberRow; onName?: () => void }) {
  return (
    <>
      <header>
        {onName === undefined ? (
          <h2>{member.name}</h2>
        ) : (
          <button type="button" onClick={onName}>
            {member.name}
          </button>
        )}
        <span class={toneOf(member.status)}>{words(member.status)}</span>
      </header>
      <div class="badges">
        {[shortModel(member.model), member.agent_type, member.color, member.kind]
          .filter((badge) => badge)
          .map((badge) => (
            <span class="badge" key={badge}>
              {badge}
            </span>
          ))}
      </div>
      {member.task === null ? null : <p>task {member.task}</p>}
      <p class="note">
        {member.total_tokens === null ? '' : `${count(member.total_tokens)} tokens · `}
        {member.tool_calls} calls
        {member.tool_errors > 0 ? <span class="bad"> · {member.tool_errors} failed</span> : null}
      </p>
      {member.error === null ? null : <p class="bad">{member.error}</p>}
    </>
  );
}

const columns = [
  ['pending', 'Pending'],
  ['in_progress', 'In progress'],
  ['completed', 'Done'],
] as const;

export function Board({ now, at, run, place, go }: PanelProps) {
  const shown = now.tasks.filter((task) => columns.some(([status]) => status === task.status));
  const others = now.tasks.filter((task) => !shown.includes(task));
  const later = run.playback.end.tasks.length - now.tasks.length;
  const chosen = place.choice?.is === 'task' ? place.choice.id : null;
  return (
    <>
      <h2>
        Board <span class="note">at {clock(at, run.playback.length)}</span>
      </h2>
      {now.tasks.length === 0 ? <p class="note">No task yet.</p> : null}
      <div class="board">
        {(now.tasks.length === 0 ? [] : columns).map(([status, title]) => (
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
          {others.map((task) => `${task.id} ${words(task.status)}: ${task.subject ?? ''}`).join(' · ')}
        </p>
      )}
      {later > 0 ? <p class="note">{later} more come later.</p> : null}
    </>
  );
}

/** What was spent so far, by agent. */
function Money({ now }: { now: Snapshot }) {
  const rows = now.spent.filter((row) => row.total_tokens > 0 || row.cost_usd !== null);
  return (
    <table>
      <caption class="note">Cost and tokens so far</caption>
      <thead>
        <tr>
          <th scope="col">agent</th>
          <th scope="col" class="number">
            tokens
          </th>
          <th scope="col" class="number">
            cost
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={`${row.agent}`}>
            <td>{row.name ?? row.agent ?? 'unattributed'}</td>
            <td class="number">{count(row.total_tokens)}</td>
            <td class="number">
              {row.cost_source === 'lower_bound' ? '≥ ' : ''}
              {money(row.cost_usd)}
            </td>
          </tr>
        ))}
        <tr>
          <th scope="row">total</th>
          <td class="number">{count(now.total?.total_tokens ?? 0)}</td>
          <td class="number" data-cost={now.total?.cost_usd ?? ''}>
            {money(now.total?.cost_usd ?? null)}
          </td>
        </tr>
      </tbody>
    </table>
  );
}

/** What was edited, by whom, how often; a file opens to its changes. */
export function Files({ run, at, place, go }: PanelProps) {
  const files = useMemo(() => filesOf(run.story().entries), [run]);
  const [open, setOpen] = useState<string | null>(null);
  return (
    <>
      <h2>
        Files <span class="note">{count(files.length)} edited</span>
      </h2>
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
            {open === file.path ? <Edits run={run} at={at} file={file} place={place} go={go} /> : null}
          </li>
        ))}
      </ul>
    </>
  );
}

function FileFacts({ file: { edits, added, removed, failed, by } }: { file: EditedFile }) {
  return (
    <>
      <span class="good">+{count(added)}</span> <span class="bad">−{count(removed)}</span>{' '}
      <span class="note">
        {edits.length === 1 ? 'once' : `${count(edits.length)} times`} by{' '}
        {by.map(([name, times]) => (by.length === 1 ? name : `${name} ${times}`)).join(', ')}
      </span>
      {failed > 0 ? <span class="bad"> {failed} failed</span> : null}
    </>
  );
}

function Edits({ run, at, file, place, go }: Pick<PanelProps, 'run' | 'at' | 'place' | 'go'> & { file: EditedFile }) {
  return (
    <ol class="edits">
      {file.edits.map((edit) => (
        <li key={edit.index} class={edit.at > at ? 'ahead' : ''}>
          <button
            type="button"
            aria-current={place.choice?.is === 'call' && place.choice.id === edit.choice.id}
            onClick={() => go({ choice: edit.choice })}
          >
            <span class="note">{clock(edit.at, run.playback.length)}</span> {edit.line?.name}
            {edit.line?.bad ? <span class="bad"> failed</span> : null}
          </button>
          <Parts parts={(edit.line?.parts ?? []).filter(({ changes }) => changes !== undefined)} />
        </li>
      ))}
    </ol>
  );
}

export function Findings({ run, at, place, go }: PanelProps) {
  const { findings } = run.settings;
  const chosen = place.choice?.is === 'finding' ? Number(place.choice.id) : -1;
  return (
    <>
      <h2>
        Findings <span class="note">{findings.length}</span>
      </h2>
      {findings.length === 0 ? <p class="note">Nothing went wrong that cct knows of.</p> : null}
      <ul class="found">
        {findings.map((finding, index) => {
          const entry = run.story().entryOf({ is: 'finding', id: String(index) });
          return (
            <li key={`${finding.rule} ${finding.line} ${finding.tool_use_id} ${finding.detail}`}>
              <button
                type="button"
                class={entry !== undefined && entry.at > at ? 'ahead' : ''}
                aria-current={chosen === index}
                onClick={() => go({ choice: { is: 'finding', id: String(index) } })}
              >
                <span class="note">{entry === undefined ? '' : clock(entry.at, run.playback.length)}</span>{' '}
                <span class={finding.severity === 'problem' ? 'bad' : 'warn'}>{words(finding.rule)}</span>{' '}
                {finding.agent === null ? '' : `${finding.agent}: `}
                {finding.detail}
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** Two runs side by side. */
export function Comparison({ run: { figures } }: PanelProps) {
  const [one, other] = figures;
  const rows: Compared[] = one === undefined || other === undefined ? [] : comparisonOf(one, other);
  return (
    <table class="comparison">
      <tbody>
        {rows.map(({ figure, first, second, difference, tone }) => (
          <tr key={figure}>
            <th scope="row">{figure}</th>
            <td>{first}</td>
            <td>{second}</td>
            <td class={tone}>{difference}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function words(text: string | null): string {
  return (text ?? 'unknown').replaceAll('_', ' ');
}

export function toneOf(status: string): string {
  if (/fail|error|unfinished|stopped/.test(status)) return 'bad';
  if (/active|idle|shutting/.test(status)) return 'warn';
  return /success|finished|completed|ended|cleaned|shutdown/.test(status) ? 'good' : 'note';
}
