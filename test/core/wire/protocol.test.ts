import { describe, expect, test } from 'vitest';
import { protocolApproval, protocolText } from '../../../src/core/wire/dialects/deliveries.js';

describe('what a person reads', () => {
  test.each<[object, string | null]>([
    [{ type: 'task_assignment', taskId: '1', subject: 'Survey', description: 'List it.' }, 'Task #1: Survey\nList it.'],
    [{ type: 'task_assignment', taskId: 1, subject: 'Survey', description: 'Survey' }, 'Task #1: Survey'],
    [{ type: 'task_assignment', subject: 'Survey' }, 'Task: Survey'],
    [{ type: 'task_assignment' }, '{"type":"task_assignment"}'],
    [{ type: 'task_completed', taskId: '2', taskSubject: 'Write' }, 'Completed task #2: Write'],
    [{ type: 'teammate_terminated', message: 'writer has shut down.' }, 'writer has shut down.'],
    [{ type: 'permission_request', tool_name: 'Bash', description: 'Run the tests' }, 'Bash: Run the tests'],
    [{ type: 'permission_request', tool_name: 'Bash', input: { command: 'npm test' } }, 'Bash: npm test'],
    [{ type: 'permission_request', tool_name: 'Bash' }, 'Bash'],
    [{ type: 'permission_response', subtype: 'error', error: 'No.' }, 'No.'],
    [{ type: 'permission_response', subtype: 'success' }, null],
    [{ type: 'sandbox_permission_request', hostPattern: { host: 'a.org' } }, 'Network access to a.org'],
    [{ type: 'mode_set_request', mode: 'plan' }, 'plan'],
    [{ type: 'shutdown_request', reason: 'Done.' }, 'Done.'],
    [{ type: 'shutdown_approved', paneId: 'in-process' }, null],
    [{ type: 'plan_approval_request', planContent: '# Plan' }, '# Plan'],
    [{ type: 'horoscope', message: 'fine', sign: 'leo' }, '{"type":"horoscope","message":"fine","sign":"leo"}'],
    [{ type: 'constructor' }, '{"type":"constructor"}'],
  ])('%j', (body, text) => {
    expect(protocolText({ ...body })).toBe(text);
  });
});

describe('whether it says yes', () => {
  test.each<[object, boolean | null]>([
    [{ type: 'shutdown_approved' }, true],
    [{ type: 'shutdown_rejected' }, false],
    [{ type: 'plan_approval_response', approved: false }, false],
    [{ type: 'plan_approval_response', approve: true }, true],
    [{ type: 'permission_response', subtype: 'success' }, true],
    [{ type: 'permission_response', subtype: 'error' }, false],
    [{ type: 'permission_response', approved: true }, true],
    [{ type: 'sandbox_permission_response', allow: false }, false],
    [{ type: 'shutdown_request' }, null],
  ])('%j', (body, yes) => {
    expect(protocolApproval({ ...body })).toBe(yes);
  });
});
