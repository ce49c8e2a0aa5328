/** How far into a JSON number a reader is. Starts high, so that it shares a field with the reader's other modes. */
export enum NumberState {
  none = -1,
  minus = 16,
  zero,
  digits,
  point,
  fraction,
  exponent,
  sign,
  exponentDigits,
}

export function startNumber(code: number): NumberState {
  if (code === Char.hyphen) return NumberState.minus;
  if (code === Char.digit0) return NumberState.zero;
  return isDigit(code) ? NumberState.digits : NumberState.none;
}

/** The state after one more character, none when it does not belong to the number. */
export function continueNumber(state: NumberState, code: number): NumberState {
  switch (state) {
    case NumberState.minus:
      return code === Char.hyphen ? NumberState.none : startNumber(code);
    case NumberState.zero:
      return isDigit(code) ? NumberState.none : beyondDigits(code);
    case NumberState.digits:
      return isDigit(code) ? state : beyondDigits(code);
    case NumberState.point:
      return isDigit(code) ? NumberState.fraction : NumberState.none;
    case NumberState.fraction:
      if (isDigit(code)) return state;
      return isExponentMark(code) ? NumberState.exponent : NumberState.none;
    case NumberState.exponent:
      if (code === Char.plus || code === Char.hyphen) return NumberState.sign;
      return isDigit(code) ? NumberState.exponentDigits : NumberState.none;
    default:
      return isDigit(code) ? NumberState.exponentDigits : NumberState.none;
  }
}

export function canEndNumber(state: NumberState): boolean {
  return (
    state === NumberState.zero ||
    state === NumberState.digits ||
    state === NumberState.fraction ||
    state === NumberState.exponentDigits
  );
}

export function isDigit(code: number): boolean {
  return code >= Char.digit0 && code <= Char.digit9;
}

function beyondDigits(code: number): NumberState {
  if (code === Char.dot) return NumberState.point;
  return isExponentMark(code) ? NumberState.exponent : NumberState.none;
}

function isExponentMark(code: number): boolean {
  return (code | 0x20) === Char.letterE;
}

enum Char {
  plus = 0x2b,
  hyphen = 0x2d,
  dot = 0x2e,
  digit0 = 0x30,
  digit9 = 0x39,
  letterE = 0x65,
}
