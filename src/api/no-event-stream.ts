/** In a browser. Node has its own, of the same type: node.ts. */
export function eventStream(): never {
  throw new TypeError(
    "eventStream needs the streams of Node; elsewhere use createParser, or import 'cct-toolkit/node'",
  );
}
