/** A short stand-in for a long text, to compare by. */
export function digest(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) + (b >>> 13);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}
