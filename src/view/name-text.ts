import { spellOut } from './text.js';

/** Fields that say who somebody is. */
export function isNameField(field: string): boolean {
  return nameFields.has(field);
}
const nameFields = new Set(['name', 'agent', 'from', 'to', 'recipients', 'owner', 'lead', 'parent']);

/**
 * A name that cannot pass for another: letters that look like those of another script are written out, word by word
 * (`t\u0435am-lead`), and so are odd spaces, dashes and styled letters. A word in one script stays. Not yet sanitised.
 */
export function visibleName(name: string): string {
  const edged = name.replace(/^ +| +$/g, (spaces) => '\\x20'.repeat(spaces.length));
  if (/^[\x20-\x7e]*$/.test(edged)) return edged;
  return edged.replace(/(?! )\p{Zs}/gu, spellOut).replace(/[^\s,;]+/gu, visibleWord);
}

function visibleWord(word: string): string {
  const styled = word.replace(notAscii, (character) => (isImpostor(character) ? spellOut(character) : character));
  const isSuspect = /\p{Script=Latin}/u.test(word) || leads.has(skeleton(word));
  return isSuspect ? styled.replace(lookAlike, spellOut) : styled;
}

const notAscii = /[^\x00-\x7f]/gu;
const lookAlike =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Georgian}\p{Script=Lisu}]/gu;

/** Full-width, mathematical and other forms of plain characters, letters of phonetics, dashes that are no hyphen. */
function isImpostor(character: string): boolean {
  const plain = character.normalize('NFKC');
  return (plain !== character && /[A-Za-z0-9-]/.test(plain.normalize('NFD'))) || phonetic.test(character);
}
const phonetic = /[\u0131\u0237\u0250-\u02af\u02d7\u1d00-\u1dbf\u2043\u2212\p{Pd}]/u;

/** What a word in another script looks like, as far as the names of leads are concerned. */
function skeleton(word: string): string {
  return [...word.toLowerCase()].map((letter) => likeLatin.get(letter) ?? letter).join('');
}
const leads = new Set(['main', 'lead', 'team-lead']);
const likeLatin = new Map(
  Object.entries({ a: 'аα', d: 'ԁժ', e: 'еε', i: 'іι', l: 'ӏ', m: 'мμ', n: 'пηո', t: 'тτ' }).flatMap(
    ([latin, others]) => [...others].map((letter): [string, string] => [letter, latin]),
  ),
);
