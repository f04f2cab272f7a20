// Data in the format .lzma: what repeats in a model lies far apart, and gzip, which browsers expand, looks back over 32 KB.
//
// Only what `page.py` writes is read: three bits of literal context, no bits of position, and a marker at the end.

const WRITTEN = 3;  // the first byte of such data
const HEAD = 13;
const STATES = 12;
const [MATCH, REPEAT, NEAREST, SECOND, THIRD, LONGER] = [0, 1, 2, 3, 4, 5].map((index) => index * STATES);
const SLOT = 6 * STATES, NEAR = SLOT + 4 * 64, ALIGNED = NEAR + 128, LENGTH = ALIGNED + 16, REPEAT_LENGTH = LENGTH + 274;
const LITERAL = REPEAT_LENGTH + 274, PROBABILITIES = LITERAL + 8 * 0x300;
const MARKER = 0xffffffff;

/** Return what data expands to; an Error where it is damaged, or would expand to more than `limit` bytes. */
function unpacked(data, limit) {
  const damaged = () => new Error("the model is damaged");
  if (data[0] !== WRITTEN || data[HEAD] !== 0) throw damaged();
  const chances = new Uint16Array(PROBABILITIES).fill(1024);  // that a bit is 0, of 2048
  let at = HEAD + 5, range = MARKER, code = data.slice(HEAD + 1, at).reduce((sum, byte) => sum * 256 + byte, 0);
  let out = new Uint8Array(Math.min(limit, 1 << 16)), size = 0;

  const narrowed = () => {
    if (range < 0x1000000) {
      range *= 256;
      code = code * 256 + data[at++];
    }
  };
  const bit = (index) => {
    const chance = chances[index], bound = (range >>> 11) * chance, one = code >= bound;
    chances[index] = one ? chance - (chance >> 5) : chance + (2048 - chance >> 5);
    range = one ? range - bound : bound;
    if (one) code -= bound;
    narrowed();
    return one ? 1 : 0;
  };
  const even = (count) => {  // a number of so many bits, each as likely to be 0 as 1
    let number = 0;
    for (; count; count--) {
      range = range >>> 1;
      const one = code >= range;
      if (one) code -= range;
      number = number * 2 + (one ? 1 : 0);
      narrowed();
    }
    return number;
  };
  const tree = (base, count) => {
    let node = 1;
    for (let left = count; left; left--) node = node << 1 | bit(base + node);
    return node - (1 << count);
  };
  const reversed = (base, count) => {
    let node = 1, number = 0;
    for (let place = 0; place < count; place++) {
      const one = bit(base + node);
      node = node << 1 | one;
      number |= one << place;
    }
    return number;
  };
  const length = (base) => {
    if (!bit(base)) return 2 + tree(base + 2, 3);
    return bit(base + 1) ? 18 + tree(base + 18, 8) : 10 + tree(base + 10, 3);
  };
  const distance = (count) => {
    const slot = tree(SLOT + 64 * Math.min(count - 2, 3), 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1, first = (2 | slot & 1) * 2 ** bits;
    return first + (slot < 14 ? reversed(NEAR + first - slot, bits) : even(bits - 4) * 16 + reversed(ALIGNED, 4));
  };
  const reserve = (count) => {
    if (size + count > limit) throw new Error("the model is larger than " + limit + " bytes");
    if (size + count <= out.length) return;
    const larger = new Uint8Array(Math.min(limit, 2 * out.length));
    larger.set(out);
    out = larger;
  };
  const literal = (after, state) => {
    const base = LITERAL + 0x300 * ((size ? out[size - 1] : 0) >> 5);
    let symbol = 1;
    if (state >= 7) {  // behind a match: the byte that would have gone on with it says which chances are meant
      for (let other = out[size - after - 1]; symbol < 0x100; other <<= 1) {
        const known = other >> 7 & 1, one = bit(base + (1 + known << 8) + symbol);
        symbol = symbol << 1 | one;
        if (known !== one) break;
      }
    }
    while (symbol < 0x100) symbol = symbol << 1 | bit(base + symbol);
    return symbol & 0xff;
  };

  for (let state = 0, [first, second, third, fourth] = [0, 0, 0, 0];;) {
    if (at > data.length) throw damaged();
    if (!bit(MATCH + state)) {
      reserve(1);
      out[size] = literal(first, state);
      size++;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let count = 1;
    const matched = state >= 7;
    if (!bit(REPEAT + state)) {
      [second, third, fourth] = [first, second, third];
      count = length(LENGTH);
      first = distance(count);
      state = matched ? 10 : 7;
      if (first === MARKER) break;
    } else {
      const nearest = !bit(NEAREST + state), short = nearest && !bit(LONGER + state);
      if (!nearest) {
        if (!bit(SECOND + state)) [first, second] = [second, first];
        else if (!bit(THIRD + state)) [first, second, third] = [third, first, second];
        else [first, second, third, fourth] = [fourth, first, second, third];
      }
      if (!short) count = length(REPEAT_LENGTH);
      state = short ? (matched ? 11 : 9) : (matched ? 11 : 8);
    }
    if (first >= size) throw damaged();
    reserve(count);
    for (const end = size + count; size < end; size++) out[size] = out[size - first - 1];
  }
  if (code || at !== data.length) throw damaged();
  return out.subarray(0, size);
}
