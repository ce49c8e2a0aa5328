import type { JsonObject } from '../../record/json.js';

/** `#3 [pending] Review the report (writer) [blocked by #1, #2]`, one line a task: all that subagents' results have. */
export function tasksInText(text: string): JsonObject[] {
  return text.split('\n').flatMap((line) => {
    const found = taskLine.exec(line.trim());
    if (found === null) return [];
    const [, id, status, subject, owner, blockers] = found;
    const blockedBy =
      blockers === undefined ? [] : blockers.split(',').map((blocker) => blocker.trim().replace(/^#/, ''));
    return [{ id, status, subject, ...(owner === undefined ? {} : { owner }), blockedBy }];
  });
}
const taskLine = /^#(\S+) \[(\w+)\] (.*?)(?: \(([^()]+)\))?(?: \[blocked by ([^[\]]*)\])?$/;
