/** The limit of the service. */
const MAX_BYTES = 32_768;
/** Widths that are tried, largest first. The first is twice what the table shows, for high-density screens. */
const SIZES = [128, 96, 64];

/** Makes a thumbnail of a picture, in base64. The original is never sent. */
export async function thumbnailOf(file: Blob): Promise<string> {
  const picture = await createImageBitmap(file);
  try {
    for (const size of SIZES) {
      const small = await drawn(picture, size);
      if (small.size <= MAX_BYTES) return toBase64(await small.arrayBuffer());
    }
    throw new Error('The picture cannot be made small enough.');
  } finally {
    picture.close();
  }
}

function drawn(picture: ImageBitmap, size: number): Promise<Blob> {
  const scale = Math.min(1, size / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    const take = (blob: Blob | null) =>
      blob === null ? reject(new Error('The browser cannot draw the picture.')) : resolve(blob);
    canvas.toBlob(take, 'image/webp', 0.85);
  });
}

function toBase64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}
