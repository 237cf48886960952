// Bytes as a short text and back: compressed as zlib does (deflate) or gzip, in base64.

/** @param {Uint8Array<ArrayBuffer>} bytes @param {CompressionFormat} [format] */
export async function packBytes(bytes, format = "deflate") {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream(format));
  let text = "";
  for (const byte of new Uint8Array(await new Response(stream).arrayBuffer())) text += String.fromCharCode(byte);
  return btoa(text);
}

/** Base64, also as a part of an address → bytes; none of what is no such text. @param {string} text */
export function bytesOf(text) {
  try {
    return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** Base64 as a part of an address. @param {string} text */
export const inAddress = (text) => text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

/** Bytes from a text of anybody, at most so many; rejects what is none. @param {string} text @param {number} most */
export async function unpackBytes(text, most) {
  const bytes = bytesOf(text);
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > most) throw new RangeError("too many bytes");
    parts.push(value);
  }
}
