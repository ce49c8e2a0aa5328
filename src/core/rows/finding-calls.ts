// Findings any call of the team tools may give: what it lacks, and how it failed.
import type { AuditCall } from '../state/audit-calls.js';
import type { Facts } from '../state/audit-facts.js';
import type { Subject } from '../state/audit-limits.js';
import { type FindingRow, finding } from './finding.js';
import type { RuleName } from './finding-rules.js';

/** One finding for a call: what its error says it did wrong, else what it lacks, else that it failed. */
export function callFindings({ agents, audit }: Facts, subject: Subject): FindingRow[] {
  return audit.calls
    .values()
    .filter((call) => call.subject === subject)
    .flatMap((call) => {
      const rule = ruleOf(call);
      if (rule === null) return [];
      const detail = rule === 'missing_field' ? lack(call) : failure(call);
      return finding(agents, rule, call, { tool_use_id: call.id, task: call.task, detail });
    });
}

function ruleOf(call: AuditCall): RuleName | null {
  const named = call.outcome === 'failed' ? namedBy(call) : null;
  if (named !== null) return named;
  if (call.missing.length > 0) return 'missing_field';
  return call.outcome === 'failed' ? 'failed_call' : null;
}

function namedBy({ subject, type, error_code }: AuditCall): RuleName | null {
  if (subject === 'messages') {
    if (type === 'broadcast') return 'refused_broadcast';
    return error_code === 'agent_not_found' ? 'unknown_recipient' : null;
  }
  if (subject === 'teams')
    return error_code === 'team_already_exists' || error_code === 'agent_already_exists' ? 'duplicate_name' : null;
  if (error_code === 'circular_dependency') return 'circular_dependency';
  if (error_code === 'invalid_status') return 'status_backwards';
  return error_code === 'agent_not_found' ? 'unknown_owner' : null;
}

function lack(call: AuditCall): string {
  const without = `${call.tool} without ${call.missing.join(', ')}`;
  return call.error === null ? without : `${without}: ${call.error}`;
}

function failure({ tool, to, error, error_code }: AuditCall): string {
  const what = to === null ? tool : `${tool} to ${to}`;
  if (error === null || error === error_code) return `${what}: ${error_code ?? 'no reason given'}`;
  return `${what}: ${error}${error_code === null ? '' : ` (${error_code})`}`;
}
