type Status = 'open' | 'whole' | 'wrong';

/**
 * Reads one JSON value strictly, in pieces of any size and without recursion. It stops at the first character that
 * cannot belong to the value. It can continue after that character as if it were not there.
 */
export class ValueScanner {
  status: Status = 'open';
  /** Where the last object inside the value began and ended; negative if an array closed after it. */
  lastStart = -1;
  lastEnd = -1;
  #mode: Mode = Mode.value;
  /** Open brackets: the index of each brace, and the bitwise complement of the index of each square bracket. */
  readonly #open: number[] = [];
  #inKey = false;
  #hexLeft = 0;
  #word = '';
  #wordAt = 0;

  /** Returns the index after a whole value, or the index of an invalid character, else the length of the text. */
  read(text: string, from: number): number {
    for (let at = from; at < text.length; at += 1) {
      if (this.#mode === Mode.string) {
        at = endOfPlainText(text, at);
        if (at === text.length) return at;
      }
      const isBareNumber = this.#mode >= Mode.minus && this.#open.length === 0;
      if (!this.#step(text.charCodeAt(at), at)) {
        this.status = 'wrong';
        return at;
      }
      if (this.status === 'whole') return isBareNumber ? at : at + 1;
    }
    return text.length;
  }

  /** The line ends: a string, word or number may not continue in the next one. */
  endLine(): void {
    if (this.status !== 'open' || this.#mode < Mode.string) return;
    if (numberEnds.has(this.#mode)) this.#closeValue();
    else this.status = 'wrong';
  }

  /** Continues without the invalid character. */
  resume(): void {
    this.status = 'open';
  }

  /** Continues inside the string that was just closed. */
  resumeString(): void {
    this.status = 'open';
    this.#inKey = this.#mode === Mode.colon;
    this.#mode = Mode.string;
  }

  /** Continues as if the value that was just closed did not exist. */
  resumeValue(): void {
    this.status = 'open';
    this.lastStart = -1;
    this.#mode = Mode.value;
  }

  #step(code: number, at: number): boolean {
    const mode = this.#mode;
    if (mode < Mode.string) return isSpace(code) || this.#structure(code, at);
    if (mode >= Mode.minus) return this.#inNumber(code, at);
    switch (mode) {
      case Mode.string:
        if (code === Char.quote) this.#closeString();
        else if (code === Char.backslash) this.#mode = Mode.escape;
        else return code >= Char.space;
        return true;
      case Mode.escape:
        if (code === Char.letterU) this.#hexLeft = 4;
        else if (!escapable.includes(String.fromCharCode(code))) return false;
        this.#mode = code === Char.letterU ? Mode.hex : Mode.string;
        return true;
      case Mode.hex:
        if (!isHexDigit(code)) return false;
        this.#hexLeft -= 1;
        if (this.#hexLeft === 0) this.#mode = Mode.string;
        return true;
      default:
        if (this.#word.charCodeAt(this.#wordAt) !== code) return false;
        this.#wordAt += 1;
        if (this.#wordAt === this.#word.length) this.#closeValue();
        return true;
    }
  }

  #structure(code: number, at: number): boolean {
    switch (this.#mode) {
      case Mode.firstElement:
        return code === Char.closeBracket ? this.#close(at) : this.#begin(code, at);
      case Mode.value:
        return this.#begin(code, at);
      case Mode.firstKey:
        if (code === Char.closeBrace) return this.#close(at);
        return this.#beginKey(code);
      case Mode.key:
        return this.#beginKey(code);
      case Mode.colon:
        this.#mode = code === Char.colonSign ? Mode.value : Mode.colon;
        return code === Char.colonSign;
      default:
        return this.#follow(code, at);
    }
  }

  #begin(code: number, at: number): boolean {
    if (code === Char.openBrace || code === Char.openBracket) {
      if (this.#open.length === deepest) return false;
      this.#open.push(code === Char.openBrace ? at : ~at);
      this.#mode = code === Char.openBrace ? Mode.firstKey : Mode.firstElement;
      return true;
    }
    if (code === Char.quote) {
      this.#inKey = false;
      this.#mode = Mode.string;
      return true;
    }
    const number = stepOfNumber(numberStart, code);
    if (number !== undefined) {
      this.#mode = number;
      return true;
    }
    this.#word = jsonWords.find((word) => word.charCodeAt(0) === code) ?? '';
    if (this.#word === '') return false;
    this.#wordAt = 1;
    this.#mode = Mode.inWord;
    return true;
  }

  #beginKey(code: number): boolean {
    if (code !== Char.quote) return false;
    this.#inKey = true;
    this.#mode = Mode.string;
    return true;
  }

  #follow(code: number, at: number): boolean {
    const inObject = (this.#open.at(-1) ?? -1) >= 0;
    if (code === Char.comma) {
      this.#mode = inObject ? Mode.key : Mode.value;
      return true;
    }
    return code === (inObject ? Char.closeBrace : Char.closeBracket) && this.#close(at);
  }

  #close(at: number): boolean {
    this.lastStart = this.#open.pop() ?? -1;
    this.lastEnd = at + 1;
    this.#closeValue();
    return true;
  }

  #closeString(): void {
    if (this.#inKey) this.#mode = Mode.colon;
    else this.#closeValue();
  }

  #closeValue(): void {
    this.#mode = Mode.after;
    if (this.#open.length === 0) this.status = 'whole';
  }

  #inNumber(code: number, at: number): boolean {
    const mode = this.#mode;
    const next = stepOfNumber(numberSteps[mode], code);
    if (next !== undefined) {
      this.#mode = next;
      return true;
    }
    if (!numberEnds.has(mode)) return false;
    this.#closeValue();
    if (this.status === 'whole' || isSpace(code) || this.#follow(code, at)) return true;
    this.#mode = mode;
    return false;
  }
}

function endOfPlainText(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === Char.quote || code === Char.backslash || code < Char.space) break;
    at += 1;
  }
  return at;
}

const isDigit = (code: number): boolean => code >= Char.digit0 && code <= Char.digit9;
const isHexDigit = (code: number): boolean => isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
const isSpace = (code: number): boolean => code === Char.space || code === 0x0a || code === 0x0d || code === 0x09;

const deepest = 1_000_000;
const jsonWords = ['true', 'false', 'null'];
const escapable = '"\\/bfnrt';

enum Mode {
  value,
  firstElement,
  key,
  firstKey,
  colon,
  after,
  // From here on: modes in which a line may not end.
  string,
  escape,
  hex,
  inWord,
  // From here on: modes inside a number.
  minus,
  zero,
  digits,
  point,
  fraction,
  exponent,
  sign,
  exponentDigits,
}

enum Char {
  space = 0x20,
  quote = 0x22,
  comma = 0x2c,
  digit0 = 0x30,
  digit9 = 0x39,
  colonSign = 0x3a,
  openBracket = 0x5b,
  backslash = 0x5c,
  closeBracket = 0x5d,
  letterU = 0x75,
  openBrace = 0x7b,
  closeBrace = 0x7d,
}

/** The mode after the next character of a number, by kind of character. */
type NumberSteps = { readonly [kind in '-' | '+' | '.' | 'e' | '0' | 'digit']?: Mode };

const unsigned: NumberSteps = { 0: Mode.zero, digit: Mode.digits };
const numberStart: NumberSteps = { '-': Mode.minus, ...unsigned };
const numberSteps: Readonly<Record<number, NumberSteps>> = {
  [Mode.minus]: unsigned,
  [Mode.zero]: { '.': Mode.point, e: Mode.exponent },
  [Mode.digits]: { 0: Mode.digits, digit: Mode.digits, '.': Mode.point, e: Mode.exponent },
  [Mode.point]: { 0: Mode.fraction, digit: Mode.fraction },
  [Mode.fraction]: { 0: Mode.fraction, digit: Mode.fraction, e: Mode.exponent },
  [Mode.exponent]: { '+': Mode.sign, '-': Mode.sign, 0: Mode.exponentDigits, digit: Mode.exponentDigits },
  [Mode.sign]: { 0: Mode.exponentDigits, digit: Mode.exponentDigits },
  [Mode.exponentDigits]: { 0: Mode.exponentDigits, digit: Mode.exponentDigits },
};
const numberEnds: ReadonlySet<Mode> = new Set([Mode.zero, Mode.digits, Mode.fraction, Mode.exponentDigits]);

function stepOfNumber(steps: NumberSteps | undefined, code: number): Mode | undefined {
  const text = String.fromCharCode(code);
  if (text === '-' || text === '+' || text === '.' || text === '0') return steps?.[text];
  if (text === 'e' || text === 'E') return steps?.e;
  return isDigit(code) ? steps?.digit : undefined;
}
