// Linear layouts over bits: which register of which thread holds an element, and what of it repeats.

const LEVELS_OF_LAYOUT = ["register", "lane", "warp", "block"];
const MOST_ROWS = 32, MOST_COLUMNS = 32;
const ENOUGH = 16;  // rows or columns that are drawn, even if some of them repeat

const log2 = (size) => 31 - Math.clz32(size);
const sizeOf = (shape) => shape.reduce((product, extent) => product * extent, 1);

/** A layout of a model, {shape, register, lane, warp, block}, and its inverse. */
class Layout {
  constructor(row) {
    this.row = row;
    this.bits = log2(sizeOf(row.shape));
    this.inputs = LEVELS_OF_LAYOUT.flatMap((level) => row[level].map((base, bit) => ({ level, bit, base })));
    const pivots = [];  // [element, inputs], each with a highest bit of its own
    this.copies = 1;
    this.inputs.forEach(({ level, base }, index) => {
      let [element, inputs] = [base, new Set([index])];
      for (const [other, those] of pivots) {
        if ((element ^ other) < element) [element, inputs] = [element ^ other, symmetric(inputs, those)];
      }
      if (element) {
        pivots.push([element, inputs]);
        pivots.sort(([one], [other]) => other - one);
      } else if (level !== "register") this.copies *= 2;
    });
    this.units = Array.from({ length: this.bits }, (_, bit) => {
      let [element, inputs] = [1 << bit, new Set()];
      for (const [other, those] of pivots) {
        if ((element ^ other) < element) [element, inputs] = [element ^ other, symmetric(inputs, those)];
      }
      return this.numbers(inputs);
    });
  }

  numbers(inputs) {
    const found = { register: 0, lane: 0, warp: 0, block: 0 };
    for (const index of inputs) found[this.inputs[index].level] |= 1 << this.inputs[index].bit;
    return found;
  }

  /** Return the first that hold an element: {register, lane, warp, block}. */
  holder(element) {
    const found = { register: 0, lane: 0, warp: 0, block: 0 };
    for (let bit = 0; bit < this.bits; bit++) {
      if (element >> bit & 1) for (const level of LEVELS_OF_LAYOUT) found[level] ^= this.units[bit][level];
    }
    return found;
  }
}

function symmetric(one, other) {
  const both = new Set(one);
  for (const each of other) if (!both.delete(each)) both.add(each);
  return both;
}

/** How a tile is drawn as a table: its last dimension across, all others down. */
function tableOf(shape) {
  const size = sizeOf(shape), last = shape.at(-1) ?? 1;
  const flat = shape.length < 2 || last === 1;
  const columns = flat ? Math.min(size, MOST_COLUMNS) : last;
  return { flat, columns, rows: size / columns };
}

/** Return the numbers of an element along the dimensions of its tile, as text. */
function placeOf(shape, element) {
  const found = [];
  for (const extent of [...shape].reverse()) {
    found.unshift(element % extent);
    element = Math.floor(element / extent);
  }
  return "(" + found.join(", ") + ")";
}

/** Return the part of a table to draw: rows, columns, and the `steps` that are left out.
 *
 * `repeats(bit)` says whether what is drawn is the same where a bit of an element's number is set; `likely(bit)`
 * whether it differs by a word only, which is left out where there is no room. */
function partOf(table, repeats, likely) {
  const bits = { columns: log2(table.columns), rows: log2(table.rows) }, steps = [];
  const drop = (side, test) => {
    while (bits[side]) {
      const bit = bits[side] - 1 + (side === "rows" ? log2(table.columns) : 0);
      if (!test(bit)) return;
      bits[side]--;
      steps.push({ side, by: 1 << bits[side], bit });
    }
  };
  const large = { columns: MOST_COLUMNS, rows: MOST_ROWS };
  for (const side of ["columns", "rows"]) drop(side, (bit) => repeats(bit) && 1 << bits[side] > ENOUGH);
  for (const side of ["columns", "rows"]) {
    drop(side, (bit) => 1 << bits[side] > large[side] && (repeats(bit) || likely(bit)));
  }
  const whole = { columns: 1 << bits.columns, rows: 1 << bits.rows };
  const shown = { columns: Math.min(whole.columns, MOST_COLUMNS), rows: Math.min(whole.rows, MOST_ROWS) };
  return { ...shown, steps, cut: shown.columns < whole.columns || shown.rows < whole.rows };
}
