// A pane of PTX or of machine code: lines, each linked with the op that it is made of.

const PRODUCT = /mma/i;  // the instructions that an op is about, where it has some
const ADDRESS = /^[0-9a-f]{4,}(?=  )/;  // of machine code

class ListingPane extends LinkedPane {
  constructor(view, element, name) {
    super(view, element, name);
    this.fill(null);
  }

  /** Show a listing, {lines, ops}; null for none. */
  fill(listing) {
    this.lines = listing ? listing.lines : [];
    this.ops = listing ? listing.ops : [];
    this.found = -1;  // the line that a search has found
    this.firstOf = new Map();
    const tells = (index) => PRODUCT.test(this.lines[index]);
    this.ops.forEach((op, index) => {
      const known = this.firstOf.get(op);
      if (op >= 0 && (known === undefined || tells(index) && !tells(known))) this.firstOf.set(op, index);
    });
    this.list.reset(this.lines.length);
  }

  get count() {
    return this.lines.length;
  }

  get linked() {
    return [...this.firstOf.values()];
  }

  targetOf(index) {
    const op = this.ops[index];
    return op >= 0 ? this.data.targetOfOp(op) : null;
  }

  /** Return the first line of a target, of a product its first matrix instruction; -1 for none. */
  lineOf(target) {
    if (!target) return -1;
    const first = [...target.ops ?? [target.op]].map((op) => this.firstOf.get(op)).filter((at) => at !== undefined);
    return first.length ? Math.min(...first) : -1;
  }

  isOf(target, index) {
    const op = this.ops[index];
    return op >= 0 && (target.ops ? target.ops.has(op) : target.op === op);
  }

  write(row, index) {
    const code = make("span", "code"), address = ADDRESS.exec(this.lines[index])?.[0] ?? "";
    if (address) code.append(make("span", "offset", address));
    appendWords(code, this.lines[index].slice(address.length).replace(/^\t/, "    ").replace(/ ?\t/g, " "));
    row.append(make("span", "number", String(index + 1).padStart(String(this.lines.length).length)), code);
  }
}
