// The inspector: everything about what was chosen, else about the agent or the run.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { shortModel } from '../../../core/story/happening.js';
import { isLeadId } from '../../../core/tables/order.js';
import { isLost } from '../../../core/tables/sends.js';
import { duration, thousands } from '../../../view/text.js';
import { waitedFor } from '../lanes.js';
import { askedIn, type Choice, type Entry, statusWords, wordsOfEntry } from '../story.js';
import { costText, entriesOf } from '../summary.js';
import { writeAddress } from './hooks.js';
import { FindingLine, membersByLane, type PanelProps, toneOf } from './panels.js';
import { Button, clockText, Plain, Prose, prettyJson } from './parts.js';
import type { CallEvents } from './run.js';
import { useLater } from './stage.js';
import { Body } from './story.js';

export function Details(props: PanelProps) {
  const { place, go, onNext } = props;
  const { choice } = place;
  if (choice === null) return place.agent === null ? <Overview {...props} /> : <Agent {...props} lane={place.agent} />;
  return (
    <>
      <Chosen {...props} choice={choice} />
      <p class="ways">
        <Button text="Previous" act={() => onNext(-1)} />
        <Button text="Next" act={() => onNext(1)} />
        {/* Without the moment of the clock. */}
        <a href={writeAddress({ ...place, at: null, tab: null, choice })}>Link to this</a>
        <Button text="Clear" act={() => go({ choice: null })} />
      </p>
    </>
  );
}

/** What somebody wants to know first: what was asked, how it ended, what went wrong, what took the time. */
function Overview(props: PanelProps) {
  const { run, go } = props;
  const [figures] = run.figures;
  const asked = useMemo(() => askedIn(run.playback.moments).get(figures?.session_id ?? null), [run]);
  const outcome = figures === undefined ? undefined : entriesOf(figures).find(({ name }) => name === 'outcome');
  const { entries } = run.story();
  const answer = entries.findLast(isAnswer);
  const problems = run.findings.flatMap((finding, index) =>
    finding.severity === 'problem' ? [{ finding, index }] : [],
  );
  return (
    <div class="overview">
      <OverviewPart title="Asked">{asked == null ? null : <Prose text={asked} />}</OverviewPart>
      {outcome === undefined ? null : (
        <OverviewPart title="Ended">
          <p class={outcome.tone}>{outcome.value}</p>
          {answer?.line?.text == null ? null : <Prose text={answer.line.text} />}
        </OverviewPart>
      )}
      {problems.length === 0 ? null : (
        <OverviewPart title="Problems">
          <ul class="found">
            {problems.slice(0, mostProblems).map(({ finding, index }) => (
              <FindingLine key={index} {...props} finding={finding} index={index} />
            ))}
          </ul>
          {problems.length > mostProblems ? (
            <Button text={`All ${thousands(problems.length)}`} act={() => go({ tab: 'Findings' })} />
          ) : null}
        </OverviewPart>
      )}
      <Waited run={run} />
    </div>
  );
}
const mostProblems = 4;

/** A result says nothing if it only repeats the last words of the lead; an error stands in place of them. */
function isAnswer({ line }: Entry): boolean {
  if (line?.text == null || line.kind === 'result') return line?.text != null;
  return isLeadId(line.agent) && (line.kind === 'text' || (line.kind === 'notice' && line.bad));
}

/** Nothing without children. */
function OverviewPart({ title, children }: { title: string; children: ComponentChildren }) {
  return children == null ? null : (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Which agents the run as a whole waited for, and how long. */
function Waited({ run }: Pick<PanelProps, 'run'>) {
  const waited = [...waitedFor(useLater(run).path)].sort((a, b) => b[1] - a[1]);
  const longest = waited.slice(0, mostWaited);
  const whole = waited.reduce((sum, [, ms]) => sum + ms, 0);
  // What is not to scale has no times.
  if (longest.length < 2 || !run.playback.isToScale) return null;
  return (
    <OverviewPart title="The run waited for">
      <ul class="waited">
        {longest.map(([id, ms]) => {
          const lane = run.lanes.find((one) => one.id === id);
          return (
            <li key={id}>
              <span style={{ width: `${(ms / whole) * 100}%`, background: `var(--${lane?.hue ?? 'muted'})` }} />
              {lane?.name} <span class="note">{duration(ms)}</span>
            </li>
          );
        })}
      </ul>
    </OverviewPart>
  );
}
const mostWaited = 5;

/** What is known of an agent at the clock, what it was asked, and what it said last. */
function Agent({ run, now, lane }: PanelProps & { lane: string }) {
  const { entries } = run.story();
  const asked = entries.find(({ line, other }) => line?.kind === 'agent' && other === lane);
  const answer = entries.findLast((entry) => entry.line?.kind === 'text' && entry.lane === lane);
  const cost = useLater(run).spent.get(lane);
  const member = membersByLane(run, now().teams).get(lane);
  if (member === undefined) return <p class="note">This agent has not started yet.</p>;
  const facts = [
    shortModel(member.model),
    member.agent_type,
    member.kind,
    member.task === null ? null : `task ${member.task}`,
    member.total_tokens === null ? null : `${thousands(member.total_tokens)} tokens`,
    cost === undefined ? null : costText(cost),
    `${member.tool_calls} calls`,
  ];
  return (
    <>
      <h2>
        {member.name} <span class={toneOf(member.status)}>{statusWords(member.status)}</span>
      </h2>
      <p class="note">{facts.filter(Boolean).join(' · ')}</p>
      {member.tool_errors > 0 ? <p class="bad">{member.tool_errors} failed</p> : null}
      {member.error === null ? null : <p class="bad">{member.error}</p>}
      <div class="overview">
        <OverviewPart title="Asked">{asked && <Body entry={asked} whole={false} />}</OverviewPart>
        <OverviewPart title="Last words">
          {answer?.line?.text == null ? null : <Prose text={answer.line.text} />}
        </OverviewPart>
      </div>
    </>
  );
}

function Chosen({ run, now, at, choice, chosen: entry }: PanelProps & { choice: Choice }) {
  const call = choice.is === 'call' ? run.calls.get(choice.id) : undefined;
  const message = choice.is === 'message' ? run.playback.messages[Number(choice.id)] : undefined;
  const isIt = (one: { kind: string; id: string }) => choice.is === 'task' && `${one.kind}:${one.id}` === choice.id;
  const task = now().tasks.find(isIt) ?? run.playback.end.tasks.find(isIt);
  const known = entry === undefined ? null : wordsOfEntry(entry);
  const row = message?.row;
  const ended =
    call === undefined ? null : call.returnedAt === null ? 'no result' : duration(call.returnedAt - call.at);
  const title =
    task !== undefined
      ? `Task ${task.id}: ${task.subject ?? ''}`
      : row !== undefined
        ? `${row.from ?? 'somebody'} → ${row.to ?? (row.recipients.join(', ') || 'everybody')}`
        : call !== undefined
          ? `${call.called?.tool ?? call.returned?.tool ?? 'call'} by ${call.called === null ? 'somebody' : run.agentNameOf(call.called)}`
          : [entry?.line?.name ?? entry?.found[0]?.finding.agent, known?.mark, known?.about].filter(Boolean).join(' ');
  if (title === '') return <p class="note">What this link leads to is not in the page.</p>;
  const notes =
    task !== undefined
      ? [statusWords(task.status), task.owner, ...task.blocked_by.map((id) => `after ${id}`)]
      : row !== undefined
        ? [statusWords(row.type), statusWords(row.status), row.error]
        : [ended, call?.returned?.success === false ? 'failed' : null, ...(known?.facts ?? [])];
  const moment = task === undefined ? (entry?.at ?? call?.at ?? message?.at) : (entry?.at ?? at);
  return (
    <>
      <h2>{title}</h2>
      <p class={entry?.line?.bad === true || (row !== undefined && isLost(row)) ? 'bad' : 'note'}>
        {[clockText(moment ?? at, run.playback.length), ...notes].filter(Boolean).join(' · ')}
      </p>
      {entry?.found.map(({ finding: { rule, detail, severity } }) => (
        <p key={rule} class={`banner${severity === 'problem' ? ' wrong' : ''}`}>
          <strong>{statusWords(rule)}</strong> {detail}
        </p>
      ))}
      {call === undefined || known === null || known.about.includes('\n') ? null : <Plain text={known.about} />}
      {task !== undefined ? (
        <Prose text={task.description ?? ''} />
      ) : row !== undefined ? (
        <Prose text={[row.summary === row.content ? null : row.summary, row.content].filter(Boolean).join('\n\n')} />
      ) : entry === undefined ? null : (
        <Body entry={entry} whole={false} />
      )}
      {call === undefined ? null : <Raw call={call} />}
    </>
  );
}

function Raw({ call: { called, returned } }: { call: CallEvents }) {
  return (
    <details>
      <summary>Everything that was called and returned</summary>
      <h3>input</h3>
      <Plain text={prettyJson(called?.input)} title="input" />
      <h3>result</h3>
      <Plain text={prettyJson(returned?.result ?? returned?.error)} title="result" />
    </details>
  );
}
