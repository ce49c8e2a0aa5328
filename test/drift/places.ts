import { textOf } from '../../src/core/record/json.js';
import { kindOf } from '../../src/core/wire/kinds.js';
import { hasEffect } from '../../src/core/wire/tools/table.js';
import { ParsedRecord } from '../../src/core/wire/view.js';
import { isObject, type JsonObject } from '../json.js';

/** Where an object is: in what kind of record, block, input or result, and under which of its keys. */
export interface Place {
  readonly within: string;
  readonly path: string;
}

/** The name of a record in the report: its dialect if it is not a stream, its type and subtype. */
export function nameOf(record: JsonObject): string {
  const kind = kindOf(new ParsedRecord(record));
  if (kind === 'hook') return `hook ${textOf(record.hook_event_name)}`;
  if (kind !== 'stream' && kind !== 'transcript') return kind;
  const name = [textOf(record.type), textOf(record.subtype)].filter((word) => word !== null).join('/');
  return kind === 'transcript' ? `transcript ${name}` : name;
}

export function under({ within, path }: Place, key: string): Place {
  if (byModel.test(path)) return { within, path: `${path}.*` };
  return { within, path: path === '' ? key : `${path}.${key}` };
}
/** The keys of such an object are names of models. */
const byModel = /^model_?usage[a-z_]*$/i;

/**
 * Finds the place of every object in a record. Blocks are identified by their type, inputs and results by the tool, if
 * cct knows it. Inputs and results of other tools are data and have no place.
 */
export class Places {
  readonly #tools = new Map<string, string>();

  *in(record: JsonObject): Generator<[JsonObject, Place]> {
    const within = nameOf(record);
    yield* this.#inside(record, { within, path: '' }, { within, result: answered(record) });
  }

  *#inside(value: unknown, place: Place, record: About): Generator<[JsonObject, Place]> {
    if (Array.isArray(value)) {
      for (const item of value) yield* this.#inside(item, itemPlace(item, place, record), record);
    } else if (isObject(value)) {
      yield [value, place];
      for (const [key, inner] of Object.entries(value)) {
        const found = this.#keyPlace(value, key, place, record);
        if (found !== null) yield* this.#inside(inner, found, record);
      }
    }
  }

  /** Null where data begins. */
  #keyPlace(owner: JsonObject, key: string, place: Place, record: About): Place | null {
    if (key === 'input' && typeof owner.name === 'string' && typeof owner.id === 'string') {
      this.#tools.set(owner.id, owner.name);
      return toolPlace(owner.name, 'input');
    }
    if (key === 'tool_use_result' || key === 'toolUseResult')
      return toolPlace(this.#tools.get(record.result) ?? '', 'result');
    if (key === 'tool_input' || key === 'tool_response') return null;
    return under(place, key);
  }
}

interface About {
  readonly within: string;
  /** The call its tool_result answers. */
  readonly result: string;
}

function toolPlace(tool: string, part: string): Place | null {
  return hasEffect(tool) ? { within: `${tool} ${part}`, path: '' } : null;
}

function itemPlace(item: unknown, place: Place, { within }: About): Place {
  const type = place.path === 'message.content' && isObject(item) ? textOf(item.type) : null;
  return type === null ? { ...place, path: `${place.path}[]` } : { within: `${within} block ${type}`, path: '' };
}

function answered({ message }: JsonObject): string {
  const content: unknown = isObject(message) ? message.content : null;
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  const result = blocks.find((block) => isObject(block) && block.type === 'tool_result');
  return isObject(result) ? (textOf(result.tool_use_id) ?? '') : '';
}
