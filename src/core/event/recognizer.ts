const teamTools = new Set([
  'Agent',
  'Task',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskOutput',
  'TaskStop',
  'TaskUpdate',
  'TeamCreate',
  'TeamDelete',
  'Teammate',
  'SendMessage',
  'SendUserMessage',
  'SendUserFile',
]);

export function isTeamTool(tool: string): boolean {
  return teamTools.has(tool);
}

/** Named like the tools of the team protocol: an unknown one means that the protocol has moved on. */
export function looksLikeTeamTool(tool: string): boolean {
  return /^(Team|Task|Send)/.test(tool);
}
