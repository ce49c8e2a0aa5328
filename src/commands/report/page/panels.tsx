// The panels below the lanes: agents, board, conversation and details at the current moment.
import { useState } from 'preact/hooks';
import type { Snapshot } from '../playback.js';
import type { Place } from './address.js';
import type { CallEvents, Run } from './run.js';
import { clock, count, duration, money, readable, shortModel } from './text.js';

export interface PanelProps {
  readonly run: Run;
  readonly at: number;
  readonly now: Snapshot;
  readonly place: Place;
  go(to: Partial<Place>): void;
}

/** A card for each agent, working or done, under its team. */
export function Teams({ run, now, place, go }: PanelProps) {
  if (now.teams.length === 0) return null;
  return (
    <section aria-label="Agents">
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
              const hue = lane?.hue ?? 'blue';
              return (
                <li
                  key={member.agent_id ?? member.name}
                  class={`card${place.agent === id ? ' chosen' : ''}`}
                  style={{ '--hue': `var(--${hue})` }}
                >
                  <header>
                    <button type="button" onClick={() => go({ agent: place.agent === id ? null : id })}>
                      {member.name}
                    </button>
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
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </section>
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
  return (
    <>
      <h2>
        Board <span class="note">at {clock(at, run.playback.length)}</span>
      </h2>
      {now.tasks.length === 0 ? <p class="note">No task yet.</p> : null}
      <div class="board scroll">
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
                      <button type="button" aria-current={place.task === key} onClick={() => go({ task: key })}>
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
      {run.settings.compare ? null : <Money now={now} />}
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

/** A run without messages shows its calls instead. */
function Calls({ run, at, place, go }: PanelProps) {
  const until = [...run.calls].filter(([, call]) => call.at <= at);
  return (
    <>
      <h2>
        Calls <span class="note">until {clock(at, run.playback.length)}</span>
      </h2>
      {until.length === 0 ? <p class="note">No call yet.</p> : null}
      <ul class="talk scroll">
        {until.slice(-keptMessages).map(([id, call]) => {
          const failed =
            call.returned !== null && call.returnedAt !== null && call.returnedAt <= at && !call.returned.success;
          return (
            <li key={id}>
              <button type="button" aria-current={place.call === id} onClick={() => go({ call: id, at: call.at })}>
                <span class="note">{clock(call.at, run.playback.length)}</span>{' '}
                {failed ? <span class="bad">✗ </span> : null}
                <strong>{call.called?.tool ?? call.returned?.tool ?? 'call'}</strong> {briefOf(call)}
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** What a call was about: the first text of its input. */
function briefOf({ called }: CallEvents): string {
  const input = called?.input;
  const first =
    typeof input === 'object' && input !== null
      ? Object.values(input).find((value) => typeof value === 'string')
      : input;
  return typeof first === 'string' ? first.slice(0, 120) : '';
}

export function Conversation(props: PanelProps) {
  const { run, at, place, go } = props;
  if (run.playback.messages.length === 0 && run.calls.size > 0) return <Calls {...props} />;
  const until = run.playback.messages.filter((message) => message.at <= at);
  const wanted = until.filter(({ row }) => place.agent === null || run.isOf(row, place.agent));
  const shown = wanted.slice(-keptMessages);
  const broadcast = shown.findLast(({ row }) => row.type === 'broadcast');
  return (
    <>
      <h2>
        Conversation <span class="note">until {clock(at, run.playback.length)}</span>
      </h2>
      {broadcast === undefined ? null : (
        <p class="banner">
          {broadcast.row.from} to {broadcast.row.recipients.join(', ') || 'everybody'}:{' '}
          {broadcast.row.summary ?? broadcast.row.content}
        </p>
      )}
      {wanted.length > shown.length ? (
        <p class="note">{wanted.length - shown.length} earlier ones are not shown.</p>
      ) : null}
      {wanted.length === 0 ? <p class="note">No message yet.</p> : null}
      <ul class="talk scroll">
        {shown.map((message) => {
          const { row } = message;
          const index = run.playback.messages.indexOf(message);
          const isLost = row.status === 'failed' || row.status === 'open';
          return (
            <li key={index}>
              <button
                type="button"
                aria-current={place.message === index}
                onClick={() => go({ message: index, at: message.at })}
              >
                <span class="note">{clock(message.at, run.playback.length)}</span>{' '}
                {isLost ? <span class="bad">✗ </span> : null}
                <strong>{row.from ?? 'somebody'}</strong> →{' '}
                <strong>{row.to ?? (row.recipients.join(', ') || 'everybody')}</strong>{' '}
                {row.type === 'message' ? '' : `${words(row.type)}: `}
                {row.summary ?? row.content ?? ''}
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}

const keptMessages = 200;

/** The selected call, message or task, else the findings. */
export function Details(props: PanelProps) {
  const { run, place, now } = props;
  const call = place.call === null ? undefined : run.calls.get(place.call);
  if (call !== undefined) return <Call run={run} call={call} />;
  const message = place.message === null ? undefined : run.playback.messages[place.message];
  if (message !== undefined) {
    const { row } = message;
    return (
      <>
        <h2>
          {row.from ?? 'somebody'} → {row.to ?? (row.recipients.join(', ') || 'everybody')}
        </h2>
        <p class="note">
          {clock(message.at, run.playback.length)}, {words(row.type)}, {words(row.status)}
        </p>
        {row.error === null ? null : <p class="bad">{row.error}</p>}
        <LongText title="text" text={row.content ?? row.summary ?? ''} />
      </>
    );
  }
  const task = now.tasks.find(({ kind, id }) => `${kind}:${id}` === place.task);
  if (task !== undefined)
    return (
      <>
        <h2>
          Task {task.id}: {task.subject}
        </h2>
        <p class="note">
          {words(task.status)}
          {task.owner === null ? '' : `, ${task.owner}`}
          {task.blocked_by.length === 0 ? '' : `, blocked by ${task.blocked_by.join(', ')}`}
          {task.duration_ms === null ? '' : `, ${duration(task.duration_ms)}`}
        </p>
        <LongText title="description" text={task.description ?? ''} />
      </>
    );
  return <Findings {...props} />;
}

function Call({ run, call: { at, called, returned, returnedAt } }: { run: Run; call: CallEvents }) {
  const failed = returned !== null && !returned.success;
  const agent = called === null ? null : run.nameOf(called);
  return (
    <>
      <h2>
        {called?.tool ?? returned?.tool ?? 'call'} {agent === null ? '' : `by ${agent}`}
      </h2>
      <p class={failed ? 'bad' : 'note'}>
        {clock(at, run.playback.length)}
        {returnedAt === null ? ', no result' : `, ${duration(returnedAt - at)}`}
        {failed ? ', failed' : ''}
      </p>
      <LongText title="input" text={readable(called?.input)} />
      <LongText title="result" text={readable(returned?.result)} />
    </>
  );
}

/** Long texts are cut, and shown whole on request. */
function LongText({ title, text }: { title: string; text: string }) {
  const [whole, setWhole] = useState(false);
  if (text === '') return null;
  const isLong = text.length > shownLetters;
  return (
    <details open>
      <summary>{title}</summary>
      <pre>{isLong && !whole ? `${text.slice(0, shownLetters)}…` : text}</pre>
      {isLong && !whole ? (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {count(text.length)} characters
        </button>
      ) : null}
    </details>
  );
}

const shownLetters = 2000;

function Findings({ run, go }: PanelProps) {
  const { findings } = run.settings;
  return (
    <>
      <h2>
        Findings <span class="note">{findings.length}</span>
      </h2>
      {findings.length === 0 ? <p class="note">Nothing went wrong that cct knows of.</p> : null}
      <ul class="found scroll">
        {findings.map((finding) => (
          <li key={`${finding.rule} ${finding.line} ${finding.tool_use_id} ${finding.detail}`}>
            <button
              type="button"
              onClick={() =>
                go({ at: run.momentOf(finding), ...(finding.tool_use_id && { call: finding.tool_use_id }) })
              }
            >
              <span class={finding.severity === 'problem' ? 'bad' : 'warn'}>{words(finding.rule)}</span>{' '}
              {finding.agent === null ? '' : `${finding.agent}: `}
              {finding.detail}
            </button>
          </li>
        ))}
      </ul>
    </>
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
