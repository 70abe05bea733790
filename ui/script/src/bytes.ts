// Bytes are the bytes of a picture or a document: a Uint8Array that also answers toString("base64"), as Node's Buffer does.

declare const Buffer: { from(from: string | Uint8Array, encoding?: string): Uint8Array };

export type Bytes = Uint8Array;

export function bytesOf(base64: string): Bytes {
  return Buffer.from(base64, "base64");
}

export function bytesOfText(text: string): Bytes {
  return Buffer.from(text);
}

export function base64Of(bytes: Uint8Array): string {
  return (Buffer.from(bytes) as unknown as { toString(encoding: string): string }).toString("base64");
}

// encoded returns bytes as the option encoding of Puppeteer's screenshot asks for them.
export function encoded(bytes: Bytes, encoding: string | undefined): Bytes | string {
  return encoding === "base64" ? base64Of(bytes) : bytes;
}
