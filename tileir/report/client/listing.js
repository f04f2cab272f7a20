// A pane of PTX or of machine code: lines, each linked with the op that it is made of.

const ADDRESS = /^[0-9a-f]{4,}(?=  )/;  // of machine code

class ListingPane {
  /** `name` is what the ids of its rows begin with. */
  constructor(view, element, name) {
    this.view = view;
    this.prefix = view.name + "-" + name + "-";
    this.list = new RowList(element, ROW_HEIGHT, (row, i) => this.draw(row, i), (row, i) => this.mark(row, i));
    this.fill(null);
    element.addEventListener("pointermove", (event) => view.hover(this.targetOf(this.list.indexOf(event)), this));
    element.addEventListener("pointerleave", () => view.hover(null, this));
    element.addEventListener("click", (event) => {
      const target = this.targetOf(this.list.indexOf(event));
      if (target) view.select(target, this);
    });
  }

  load(data) {
    this.data = data;
  }

  /** Show a listing, {lines, ops}; null for none. */
  fill(listing) {
    this.lines = listing ? listing.lines : [];
    this.ops = listing ? listing.ops : [];
    this.firstOf = new Map();
    this.ops.forEach((op, index) => { if (op >= 0 && !this.firstOf.has(op)) this.firstOf.set(op, index); });
    this.list.reset(this.lines.length);
  }

  targetOf(index) {
    const op = this.ops[index];
    return op >= 0 ? this.data.targetOfOp(op) : null;
  }

  /** Return the first line of a target, -1 for none. */
  firstOfTarget(target) {
    if (!target) return -1;
    const first = [...target.ops ?? [target.op]].map((op) => this.firstOf.get(op)).filter((at) => at !== undefined);
    return first.length ? Math.min(...first) : -1;
  }

  draw(row, index) {
    row.setAttribute("role", "option");
    row.setAttribute("aria-setsize", this.lines.length);
    row.setAttribute("aria-posinset", index + 1);
    row.id = this.prefix + index;
    const code = make("span", "code"), address = ADDRESS.exec(this.lines[index])?.[0] ?? "";
    if (address) code.append(make("span", "offset", address));
    appendWords(code, this.lines[index].slice(address.length).replace(/^\t/, "    ").replace(/ ?\t/g, " "));
    row.append(make("span", "number", String(index + 1).padStart(String(this.lines.length).length)), code);
  }

  mark(row, index) {
    const { selected, hovered } = this.view, op = this.ops[index];
    const isOf = (target) => !!target && op >= 0 && (target.ops ? target.ops.has(op) : target.op === op);
    row.classList.toggle("selected", isOf(selected));
    row.classList.toggle("hot", isOf(hovered));
    row.setAttribute("aria-selected", isOf(selected));
  }

  reveal(target) {
    this.list.reveal(this.firstOfTarget(target));
  }

  active(target) {
    return this.prefix + Math.max(0, this.firstOfTarget(target));
  }

  key(event) {
    const steps = {
      ArrowUp: -1, ArrowDown: 1, PageUp: -this.list.shown, PageDown: this.list.shown,
      Home: -Infinity, End: Infinity,
    };
    const step = steps[event.key];
    if (step === undefined || !this.firstOf.size) return false;
    const places = [...this.firstOf.values()].sort((one, other) => one - other);
    const to = this.firstOfTarget(this.view.selected) + step;
    const next = step > 0 ? places.find((place) => place >= to) : places.findLast((place) => place <= to);
    this.view.select(this.targetOf(next ?? (step > 0 ? places.at(-1) : places[0])), this);
    return true;
  }
}
