// A link that holds a file: its fragment, which servers never see. Whoever sent it may be hostile.
//
// #bytecode=DATA or #text=DATA; DATA is deflated (RFC 1951) and in base64url. Sizes are limited before and
// after expanding, and nothing in it is anything but bytes for the reader.

export const LONGEST = 48 * 1024;
export const LARGEST = 2 * 1024 * 1024;

const KIND = /^#(bytecode|text)=/;
const DATA = /^[A-Za-z0-9_-]+$/;

/** Return the fragment that holds some bytes; an Error where it would be too long. */
export async function packed(kind, bytes) {
  if (bytes.length > LARGEST) throw new Error(tooLong(bytes.length));
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const data = new Uint8Array(await new Response(stream).arrayBuffer());
  if (data.length * 4 / 3 > LONGEST) throw new Error(tooLong(bytes.length));
  let text = "";
  for (const byte of data) text += String.fromCharCode(byte);
  return "#" + kind + "=" + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function tooLong(size) {
  return "A link holds at most some " + LONGEST / 1024 + " KB when compressed; these " + size.toLocaleString("en")
    + " bytes are more. Download the file instead.";
}

/** Return {kind, bytes} of a fragment; null if it is none of these; an Error if it is refused. */
export async function expanded(hash) {
  const head = KIND.exec(hash);
  if (!head) return null;
  const text = hash.slice(head[0].length);
  if (text.length > LONGEST) throw new Error("This link is longer than " + LONGEST + " characters, so it was not opened.");
  if (!DATA.test(text)) throw new Error("This link is damaged: it has characters that do not belong there.");
  let bytes;
  try {
    const data = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (byte) => byte.charCodeAt(0));
    bytes = await inflate(data, LARGEST);
  } catch {
    throw new Error("This link is damaged: what it holds cannot be expanded.");
  }
  if (!bytes) throw new Error("This link expands to more than " + LARGEST + " bytes, so it was not opened.");
  return { kind: head[1], bytes };
}

/** Return what deflated bytes expand to; null where that is more than `limit` bytes, which are never made. */
async function inflate(data, limit) {
  const reader = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      return null;
    }
    parts.push(value);
  }
}
