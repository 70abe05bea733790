// The video encoder of `record`. It runs in a blank page of the browser's own, which no agent sees, gets the pictures of
// the recorded page as JPEG, and returns encoded frames, which Go writes to a file.

/** What is drawn over a picture; coordinates are pixels of the picture. */
interface Overlay {
  cursor?: { x: number; y: number; pressed: boolean };
  caption?: string;
}

/** One encoded frame; data is Base64. Null if the encoder dropped the frame. */
type Encoded = { data: string; key: boolean } | null;

interface Thumbnail {
  picture: OffscreenCanvas;
  at: number;
}

// Constant quality keeps text sharp at any frame rate. The quantizer goes from 0 (best) to 63; at 24 text is as sharp as
// in a JPEG of quality 80.
const QUANTIZER = 24;
const VP9 = "vp09.00.41.08";

// A contact sheet has at most this many pictures; if there are more, every second one is dropped.
const MAX_THUMBNAILS = 48;
const THUMBNAIL_WIDTH = 320;
const COLUMNS = 4;
const LABEL = 20;

/**
 * start returns an encoder of pictures of one size. sheet is the ratio of changed pixels from which a picture becomes part of the contact sheet; 0 for no
 * sheet. known is the codec of an earlier encoder of this browser for this size, empty for none: to ask what the browser supports takes 50 ms.
 */
export async function start(width: number, height: number, fps: number, sheet: number, known: string) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { alpha: false, willReadFrequently: true })!; // every frame is read: the encoder has no use for the GPU
  let last: ImageBitmap | undefined;
  let [base, end] = [0, 0]; // of the timestamps, which the encoder wants to increase from one recording to the next
  let failure: DOMException | undefined;
  let deliver: ((encoded: Encoded) => void) | undefined;
  const encoder = new VideoEncoder({
    output(chunk) {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      deliver?.({ data: base64(bytes), key: chunk.type === "key" });
    },
    error(e) {
      failure = e;
      deliver?.(null);
    },
  });
  const common = { width, height, framerate: fps, latencyMode: "realtime" as const };
  const vp9 = { ...common, codec: VP9, bitrateMode: "quantizer" as const };
  const constant = known ? known === "V_VP9" : (await VideoEncoder.isConfigSupported(vp9)).supported === true;
  encoder.configure(constant ? vp9 : { ...common, codec: "vp8", bitrate: Math.max(1e6, width * height * 4) });
  let contact = sheet > 0 ? new ContactSheet(sheet) : undefined;

  return {
    /** codec is the WebM codec id. */
    codec: constant ? "V_VP9" : "V_VP8",

    /** reset forgets a recording, for another one of the same size. sheet is as in start. */
    reset(sheet: number) {
      last?.close();
      last = undefined;
      contact = sheet > 0 ? new ContactSheet(sheet) : undefined;
      base = end;
    },

    /** close ends the encoder. */
    close() {
      last?.close();
      if (encoder.state !== "closed") encoder.close();
    },

    /** frame encodes a picture, or the last one again if jpeg is empty. at is in microseconds. */
    async frame(jpeg: string, at: number, keyFrame: boolean, overlay: Overlay): Promise<Encoded> {
      if (jpeg) {
        const next = await createImageBitmap(new Blob([bytesOf(jpeg)], { type: "image/jpeg" }));
        last?.close();
        last = next;
      }
      if (!last) throw new Error("the first frame has no picture");
      draw(context, last, width, height);
      if (jpeg) contact?.add(canvas, at);
      if (overlay.cursor) drawCursor(context, overlay.cursor);
      if (overlay.caption) drawCaption(context, overlay.caption, width, height);
      const frame = new VideoFrame(canvas, { timestamp: base + at });
      end = base + at + 1e6;
      try {
        return await new Promise<Encoded>((resolve, reject) => {
          deliver = (encoded) => (failure ? reject(failure) : resolve(encoded));
          const options = { keyFrame, ...(constant ? { vp9: { quantizer: QUANTIZER } } : {}) };
          encoder.encode(frame, options as VideoEncoderEncodeOptions);
          // A frame that the encoder drops has no output; flush resolves after all outputs.
          encoder.flush().then(() => resolve(null), reject);
        });
      } finally {
        deliver = undefined;
        frame.close();
      }
    },

    /** sheet returns the contact sheet as Base64 of a PNG. */
    async sheet(): Promise<string> {
      return contact ? base64(new Uint8Array(await (await contact.picture()).arrayBuffer())) : "";
    },

    /** pictures is the number of pictures in the contact sheet. */
    pictures(): number {
      return contact ? contact.thumbnails.length : 0;
    },
  };
}

/** draw fits a picture of any size into the canvas, on black. */
function draw(context: OffscreenCanvasRenderingContext2D, picture: ImageBitmap, width: number, height: number) {
  const scale = Math.min(width / picture.width, height / picture.height);
  // A picture one pixel larger than the even size of the video is cut, not scaled.
  const exact = picture.width - width <= 1 && picture.height - height <= 1 && picture.width >= width && picture.height >= height;
  const [w, h] = exact ? [picture.width, picture.height] : [picture.width * scale, picture.height * scale];
  context.fillStyle = "black";
  context.fillRect(0, 0, width, height);
  context.drawImage(picture, exact ? 0 : (width - w) / 2, exact ? 0 : (height - h) / 2, w, h);
}

function drawCursor(context: OffscreenCanvasRenderingContext2D, at: { x: number; y: number; pressed: boolean }) {
  context.save();
  context.translate(at.x, at.y);
  if (at.pressed) {
    context.beginPath();
    context.arc(0, 0, 18, 0, 2 * Math.PI);
    context.fillStyle = "rgba(255, 170, 0, 0.45)";
    context.fill();
  }
  const outline: [number, number][] = [[0, 0], [0, 17], [4, 13.5], [7, 20], [10, 18.7], [7, 12.4], [12.2, 12.2]];
  context.beginPath();
  for (const [x, y] of outline) context.lineTo(x, y);
  context.closePath();
  context.fillStyle = "black";
  context.strokeStyle = "white";
  context.lineWidth = 1.5;
  context.fill();
  context.stroke();
  context.restore();
}

function drawCaption(context: OffscreenCanvasRenderingContext2D, caption: string, width: number, height: number) {
  context.font = "16px sans-serif";
  const w = Math.min(context.measureText(caption).width + 24, width - 16);
  const [x, y] = [(width - w) / 2, height - 52];
  context.fillStyle = "rgba(0, 0, 0, 0.75)";
  context.beginPath();
  context.roundRect(x, y, w, 36, 8);
  context.fill();
  context.fillStyle = "white";
  context.textBaseline = "middle";
  context.fillText(caption, x + 12, y + 18, w - 24);
}

/** ContactSheet keeps small pictures of what differs visibly from the one kept before. */
class ContactSheet {
  thumbnails: Thumbnail[] = [];
  private readonly probe = new OffscreenCanvas(96, 54).getContext("2d", { alpha: false, willReadFrequently: true })!;
  private kept: Uint8ClampedArray | undefined;

  constructor(private readonly threshold: number) {}

  add(frame: OffscreenCanvas, at: number) {
    this.probe.drawImage(frame, 0, 0, 96, 54);
    const pixels = this.probe.getImageData(0, 0, 96, 54).data;
    if (this.kept && changed(this.kept, pixels) < this.threshold) return;
    this.kept = pixels;
    const picture = new OffscreenCanvas(THUMBNAIL_WIDTH, Math.max(1, Math.round((frame.height * THUMBNAIL_WIDTH) / frame.width)));
    picture.getContext("2d", { alpha: false })!.drawImage(frame, 0, 0, picture.width, picture.height);
    this.thumbnails.push({ picture, at });
    if (this.thumbnails.length > MAX_THUMBNAILS) this.thumbnails = this.thumbnails.filter((_, i) => i % 2 === 0);
  }

  picture(): Promise<Blob> {
    const columns = Math.max(1, Math.min(COLUMNS, this.thumbnails.length));
    const rows = Math.max(1, Math.ceil(this.thumbnails.length / columns));
    const cell = (this.thumbnails[0]?.picture.height ?? 0) + LABEL;
    const canvas = new OffscreenCanvas(columns * THUMBNAIL_WIDTH, rows * cell);
    const context = canvas.getContext("2d", { alpha: false })!;
    context.fillStyle = "white";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.font = "13px sans-serif";
    context.fillStyle = "black";
    this.thumbnails.forEach(({ picture, at }, i) => {
      const [x, y] = [(i % columns) * THUMBNAIL_WIDTH, Math.floor(i / columns) * cell];
      context.drawImage(picture, x, y + LABEL);
      context.fillText((at / 1e6).toFixed(2) + " s", x + 4, y + 14);
    });
    return canvas.convertToBlob({ type: "image/png" });
  }
}

/** changed returns the ratio of pixels that differ visibly. */
function changed(a: Uint8ClampedArray, b: Uint8ClampedArray): number {
  let n = 0;
  for (let i = 0; i < a.length; i += 4) {
    if (Math.abs(a[i]! - b[i]!) + Math.abs(a[i + 1]! - b[i + 1]!) + Math.abs(a[i + 2]! - b[i + 2]!) > 48) n++;
  }
  return (n * 4) / a.length;
}

function bytesOf(encoded: string): Uint8Array<ArrayBuffer> {
  const text = atob(encoded);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}
