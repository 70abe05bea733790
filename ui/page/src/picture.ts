// Encoding a picture with the browser's own encoders, away from the document.

/** encodePicture turns a PNG (base64) into another format (base64). Nothing of it enters the page. */
export async function encodePicture(arg: { png: string; type: string; quality?: number }): Promise<string> {
  const bytes = Uint8Array.from(atob(arg.png), (c) => c.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext("2d")!.drawImage(bitmap, 0, 0);
  bitmap.close();
  const blob = await canvas.convertToBlob({ type: arg.type, quality: arg.quality });
  if (blob.type !== arg.type) throw new Error(`the browser cannot encode ${arg.type}`);
  return await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve((reader.result as string).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
