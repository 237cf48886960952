// What marks a trace file, for its reader and its writer (specviz/trace/file.py).

export const TAG = { format: "specviz-trace", version: 1 };

/** The digest of bytes in hex digits. @param {BufferSource} bytes */
export async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
