// Text as UTF-8, in pieces: measured on Chromium 156 with 5 MB, WebSocket.send takes 190 ms for text and 40 ms for bytes, and
// TextEncoder.encode 105 ms for the whole, but a fraction of it piece by piece into one buffer.

const piece = 64 << 10; // UTF-16 units
const widest = 3; // bytes of UTF-8 for one unit

const encoder = new TextEncoder();

export function encode(text: string): Uint8Array<ArrayBuffer> {
  let bytes = new Uint8Array(text.length + (text.length >> 4) + widest * (piece + 1));
  let length = 0;
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + piece, text.length);
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) {
      to++; // a pair stays together
    }
    if (bytes.length - length < widest * (to - from)) {
      const larger = new Uint8Array(length + widest * (text.length - from));
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    length += encoder.encodeInto(text.slice(from, to), bytes.subarray(length)).written;
    from = to;
  }
  return bytes.subarray(0, length);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
