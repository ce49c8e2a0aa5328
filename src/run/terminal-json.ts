/**
 * The same JSON with nothing in it that a terminal would obey or hide: JSON.stringify escapes only C0 controls,
 * and C1 controls, bidi and zero-width characters can drive or deceive a terminal too.
 */
export function terminalJson(json: string): string {
  return json.replace(unsafe, (character) => character.split('').map(escaped).join(''));
}

// In JSON text these stand in strings only, where an escape means the same.
const unsafe = /[\x7f-\x9f]|\p{Cf}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}/gu;

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
