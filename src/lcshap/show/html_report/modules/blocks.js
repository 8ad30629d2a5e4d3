// Blocks of JSON, each parsed when it is first needed. A report has them as elements of the page; another page hands
// them over with `provide`.

const blocks = new Map();

/** Make the content of a block known that is no element of the page. */
export function provide(id, content) {
  blocks.set(id, content);
}

export function read(id) {
  if (!blocks.has(id)) blocks.set(id, JSON.parse(document.getElementById(id).textContent));
  return blocks.get(id);
}

const TYPES = { u1: Uint8Array, u2: Uint16Array, i2: Int16Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array };

/** An array from its type and the base64 of its bytes. */
export function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.slice(2)), (letter) => letter.charCodeAt(0));
  return new TYPES[packed.slice(0, 2)](bytes.buffer);
}

/** The unit of each part of a picture; part i is unit i where nothing else is said. */
export function labelsOf(picture, count) {
  return "labels" in picture ? unpack(read(`pool-${picture.labels}`)) : Int32Array.from({ length: count }, (_, i) => i);
}

/** Pairs (start, end) from a flat array. */
export function spansOf(packed) {
  const flat = unpack(packed);
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
}
