// The inspector: everything about what was chosen.
import type { Choice, Entry } from '../story.js';
import { wordsOfEntry } from '../story.js';
import { type Place, writeAddress } from './address.js';
import { Member, type PanelProps, words } from './panels.js';
import { Parts, Plain, Prose } from './parts.js';
import type { CallEvents, Run } from './run.js';
import { clock, duration, readable } from './text.js';

export function Details(props: PanelProps) {
  const { run, place, go } = props;
  const { choice } = place;
  if (choice === null) return <Nothing {...props} />;
  const entry = run.story().entryOf(choice);
  return (
    <>
      <Chosen {...props} choice={choice} entry={entry} />
      <p class="ways">
        <button type="button" onClick={() => props.onNext(-1)}>
          Previous
        </button>
        <button type="button" onClick={() => props.onNext(1)}>
          Next
        </button>
        <a href={linkOf(place, choice)}>Link to this</a>
        <button type="button" onClick={() => go({ choice: null })}>
          Clear
        </button>
      </p>
    </>
  );
}

/** The address of a choice, without the moment of the clock. */
function linkOf(place: Place, choice: Choice): string {
  return writeAddress({ ...place, at: null, tab: null, choice });
}

function Nothing(props: PanelProps) {
  const { run, place, now } = props;
  if (place.agent === null)
    return <p class="note">Choose a line of the story, a bar or an arrow in the lanes, a task, a file or a finding.</p>;
  for (const team of now.teams)
    for (const member of team.members) {
      const lane = run.laneOf(team.session_id, member.agent_id, member.name);
      if (lane?.id === place.agent) return <Member {...props} team={team} member={member} />;
    }
  return <p class="note">This agent has not started yet.</p>;
}

function Chosen(props: PanelProps & { choice: Choice; entry: Entry | undefined }) {
  const { run, choice, entry } = props;
  switch (choice.is) {
    case 'call': {
      const call = run.calls.get(choice.id);
      return call === undefined ? <Gone /> : <Call run={run} call={call} entry={entry} />;
    }
    case 'message':
      return <Message {...props} index={Number(choice.id)} />;
    case 'task':
      return <Task {...props} id={choice.id} />;
    case 'finding':
    case 'line':
      return entry === undefined ? <Gone /> : <Line run={run} entry={entry} />;
  }
}

function Gone() {
  return <p class="note">What this link leads to is not in the page.</p>;
}

function Head({ run, at, title, note, wrong }: { run: Run; at: number; title: string; note: string; wrong: boolean }) {
  return (
    <>
      <h2>{title}</h2>
      <p class={wrong ? 'bad' : 'note'}>
        {clock(at, run.playback.length)}
        {note}
      </p>
    </>
  );
}

function Line({ run, entry }: { run: Run; entry: Entry }) {
  const { line, finding, at } = entry;
  const { mark, about, said, facts } = wordsOfEntry(entry);
  const isProse = line !== null && line.kind !== 'notice' && line.kind !== 'task';
  const title = [line?.name ?? finding?.agent, mark, about].filter(Boolean).join(' ');
  const note = facts.join(' · ');
  return (
    <>
      <Head run={run} at={at} title={title} note={note === '' ? '' : `, ${note}`} wrong={line?.bad ?? true} />
      {isProse ? <Prose text={said} /> : <Plain text={said} />}
      <Parts parts={line?.parts ?? []} />
    </>
  );
}

function Call({ run, call, entry }: { run: Run; call: CallEvents; entry: Entry | undefined }) {
  const { at, called, returned, returnedAt } = call;
  const failed = returned !== null && !returned.success;
  const agent = called === null ? null : run.nameOf(called);
  const isCall = entry?.line?.kind === 'call';
  const told = isCall ? wordsOfEntry(entry) : null;
  const parts = isCall ? (entry.line?.parts ?? []) : [];
  const tool = called?.tool ?? returned?.tool ?? 'call';
  const time = returnedAt === null ? ', no result' : `, ${duration(returnedAt - at)}`;
  const shown = told === null ? '' : told.about.trim();
  return (
    <>
      <Head
        run={run}
        at={at}
        title={`${tool}${agent === null ? '' : ` by ${agent}`}`}
        note={`${time}${failed ? ', failed' : ''}`}
        wrong={failed}
      />
      {shown === '' ? null : <Plain text={shown} title="about" />}
      {told === null || told.said === '' || parts.some(({ is }) => is === 'output') ? null : <Plain text={told.said} />}
      <Parts parts={parts} />
      <details>
        <summary>Everything that was called and returned</summary>
        <h3>input</h3>
        <Plain text={readable(called?.input)} title="input" />
        <h3>result</h3>
        <Plain text={readable(returned?.result ?? returned?.error)} title="result" />
      </details>
    </>
  );
}

function Message({ run, index }: PanelProps & { index: number }) {
  const message = run.playback.messages[index];
  if (message === undefined) return <Gone />;
  const { row, at } = message;
  return (
    <>
      <Head
        run={run}
        at={at}
        title={`${row.from ?? 'somebody'} → ${row.to ?? (row.recipients.join(', ') || 'everybody')}`}
        note={`, ${words(row.type)}, ${words(row.status)}`}
        wrong={row.status === 'failed'}
      />
      {row.error === null ? null : <p class="bad">{row.error}</p>}
      {row.summary === null || row.summary === row.content ? null : <p>{row.summary}</p>}
      <Prose text={row.content ?? ''} />
    </>
  );
}

function Task({ run, now, id, entry, at }: PanelProps & { id: string; entry: Entry | undefined }) {
  const isIt = (task: { kind: string; id: string }) => `${task.kind}:${task.id}` === id;
  const task = now.tasks.find(isIt) ?? run.playback.end.tasks.find(isIt);
  if (task === undefined) return <Gone />;
  return (
    <>
      <Head
        run={run}
        at={entry?.at ?? at}
        title={`Task ${task.id}: ${task.subject ?? ''}`}
        note={[
          '',
          words(task.status),
          task.owner,
          task.blocked_by.length === 0 ? null : `blocked by ${task.blocked_by.join(', ')}`,
          task.duration_ms === null ? null : duration(task.duration_ms),
        ]
          .filter((one) => one !== null)
          .join(', ')}
        wrong={false}
      />
      <Prose text={task.description ?? ''} />
    </>
  );
}
