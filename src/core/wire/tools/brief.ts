import { isObject } from '../../record/json.js';

/** In a few words what a call is about: the file, the command, the task, the recipient. null where nothing of it is a text. */
export function briefOf(input: unknown): string | null {
  if (!isObject(input)) return null;
  for (const field of telling) {
    const value = input[field];
    if (typeof value === 'string' && value.trim() !== '') return value.trim().slice(0, longest);
  }
  return null;
}

/** The first that is there says most. */
const telling = [
  'file_path',
  'notebook_path',
  'command',
  'pattern',
  'query',
  'url',
  'to',
  'recipient',
  'operation',
  'subject',
  'name',
  'description',
  'path',
  'skill',
  'team_name',
  'taskId',
  'task_id',
  'summary',
];

const longest = 400;
