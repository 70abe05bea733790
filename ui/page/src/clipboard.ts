// The clipboard of the browser. A page that is not secure has none.

export interface Clipboard {
  secure: boolean;
  text: string;
}

export async function readClipboard(): Promise<Clipboard> {
  if (!isSecureContext) return { secure: false, text: "" };
  return { secure: true, text: await navigator.clipboard.readText() };
}

export async function writeClipboard(arg: { text: string }): Promise<Clipboard> {
  if (!isSecureContext) return { secure: false, text: "" };
  await navigator.clipboard.writeText(arg.text);
  return { secure: true, text: arg.text };
}
