// Blocks of JSON. Each is parsed when it is first read. In a report, blocks are elements of the page; other pages add
// them with `provide`.

const blocks = new Map();

/** Add a block that is not an element of the page. */
export function provide(id, content) {
  blocks.set(id, content);
}

/** Whether a block was added, or is an element of the part of the page that the browser has loaded. */
export function has(id) {
  return blocks.has(id) || document.getElementById(id) !== null;
}

export function read(id) {
  if (!blocks.has(id)) blocks.set(id, JSON.parse(document.getElementById(id).textContent));
  return blocks.get(id);
}

const TYPES = { u1: Uint8Array, u2: Uint16Array, i2: Int16Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array };

/** An array from its type and the base64 of its bytes; "b2" has the first 16 bits of each float. */
export function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.slice(2)), (letter) => letter.charCodeAt(0));
  const type = packed.slice(0, 2);
  if (type === "b2") return new Float32Array(Uint32Array.from(new Uint16Array(bytes.buffer), (x) => x * 65536).buffer);
  return new TYPES[type](bytes.buffer);
}

/** The unit of each part of a picture. Without `labels`, part i is unit i. */
export function labelsOf(picture, count) {
  return "labels" in picture ? unpack(read(`pool-${picture.labels}`)) : Int32Array.from({ length: count }, (_, i) => i);
}

/** Pairs (start, end): from a flat array, or from one number for the gap before a part and its length. */
export function spansOf(packed) {
  if (typeof packed === "string") {
    const flat = unpack(packed);
    return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
  }
  const [low, width, numbers] = packed;
  let at = 0;
  return Array.from(unpack(numbers), (number) => {
    const start = at + low + (number % width);
    at = start + Math.floor(number / width);
    return [start, at];
  });
}

/** An order of units, stored in full or as differences from an expected order; undefined means the expected one. */
export function orderOf(packed, expected) {
  if (packed === undefined) return expected;
  if (typeof packed === "string") return unpack(packed);
  const [where, units] = packed.map(unpack);
  where.forEach((place, k) => (expected[place] = units[k]));
  return expected;
}

/** The numbers by which something is coloured: smaller for those whose intervals include zero. */
export function drawnOf(numbers, faint) {
  if (!faint) return numbers;
  const isFaint = faintOf(faint);
  return numbers.map((number, i) => (isFaint(i) ? faint[0] * number : number));
}

/** Whether the interval of a number includes zero, by its index. */
export function faintOf(faint) {
  const bits = faint ? unpack(faint[1]) : [];
  return (i) => Boolean((bits[i >> 3] >> (7 - (i & 7))) & 1);
}
