// A team as its calls tell of it, in the spelling of its consumers: camelCase, and what is not known is absent.
import * as z from 'zod';

export const teamMemberSchema = z.object({
  name: z.string(),
  agentId: z.string(),
  agentType: z.string(),
  status: z.enum(['active', 'idle', 'shutdown']),
  model: z.string().optional(),
  color: z.string().optional(),
});
export type TeamMember = z.infer<typeof teamMemberSchema>;

export const teamTaskSchema = z.object({
  id: z.string(),
  subject: z.string(),
  description: z.string().optional(),
  status: z.enum(['pending', 'in_progress', 'completed', 'deleted']),
  owner: z.string().optional(),
  activeForm: z.string().optional(),
  blockedBy: z.array(z.string()),
  blocks: z.array(z.string()),
});
export type TeamTask = z.infer<typeof teamTaskSchema>;

export const teamStateSchema = z.object({
  name: z.string(),
  role: z.enum(['lead', 'teammate']).describe('of the session that was observed'),
  members: z.array(teamMemberSchema),
  tasks: z.array(teamTaskSchema),
});
export type TeamState = z.infer<typeof teamStateSchema>;
