import { eastAsianWidth } from 'get-east-asian-width';

/** Columns a terminal gives to sanitised text. */
export function displayWidth(text: string): number {
  return clip(text, Number.POSITIVE_INFINITY).width;
}

/** At most `width` columns of sanitised text, whole graphemes only; `…` stands for what was left out. */
export function cut(text: string, width: number): string {
  return clip(text, width).text;
}

/** Text and the columns it takes. */
export interface Clip {
  readonly text: string;
  readonly width: number;
}

/** `cut`, and how wide the outcome is. */
export function clip(text: string, width: number): Clip {
  if (width <= 0) return { text: '', width: 0 };
  if (narrow.test(text)) {
    return text.length <= width ? { text, width: text.length } : { text: `${text.slice(0, width - 1)}…`, width };
  }
  let used = 0;
  let kept = { end: 0, width: 0 }; // where the text ends if an ellipsis has to follow
  let end = 0;
  for (const grapheme of simple.test(text) ? text : graphemes(text)) {
    const wide = graphemeWidth(grapheme);
    if (used + wide > width) return { text: `${text.slice(0, kept.end)}…`, width: kept.width + 1 };
    used += wide;
    end += grapheme.length;
    if (used < width) kept = { end, width: used };
  }
  return { text, width: used };
}

/** Filled with spaces up to `width` columns; text that is wider stays as it is. */
export function pad(text: string, width: number, align: Align = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + space : space + text;
}

export type Align = 'left' | 'right';

// Latin, Greek, Cyrillic and punctuation: a column each, and none joins its neighbour.
const letters = String.raw`\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e`;
const narrow = new RegExp(`^[${letters}]*$`);

// With kana, ideographs and Hangul syllables a character is still a grapheme, which spares the slow segmenter.
const simple = new RegExp(
  String.raw`^[${letters}\u3001-\u3002\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*$`,
);

let segmenter: Intl.Segmenter | undefined;

// Made when first needed: most runs print nothing that needs it, and loading its rules takes time.
function* graphemes(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1) return zeroWidth.test(grapheme) ? 0 : eastAsianWidth(grapheme.charCodeAt(0));
  if (emojiSequence.test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) {
    if (!zeroWidth.test(character)) width += eastAsianWidth(character.codePointAt(0) ?? 0);
  }
  return width;
}

// Flags, skin tones, joined emoji, keycaps and characters that U+FE0F turns into an emoji.
const emojiSequence = /^(?:\p{RI}{2}|\p{EBase}\p{EMod}|\p{ExtPict}\p{M}*\u200D\p{ExtPict}|\p{Emoji}\uFE0F)/u;

// Marks, what renders as nothing, controls, and the vowels and finals of Hangul, which stand inside their syllable.
const zeroWidth = /[\p{M}\p{Cc}\p{Default_Ignorable_Code_Point}\u1160-\u11FF\uD7B0-\uD7FB]/u;
