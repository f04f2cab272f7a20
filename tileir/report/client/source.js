// The pane of source text: the lines of all files, each linked with the ops that come from it.

class SourcePane extends LinkedPane {
  constructor(view, element, name = "source") {
    super(view, element, name);
  }

  load(data) {
    super.load(data);
    this.rows = data.sourceLines;  // of each row the number of its line, from 1, and its text; 0 for the name of a file
    this.opsOf = new Map();
    this.rowsOf = data.ops.frame.map((_, op) =>
      stackOf(data, op).map((frame) => data.sourceRows.get(frame)).filter((row) => row !== undefined));
    this.rowsOf.forEach((rows, op) => {
      for (const row of rows) {
        if (!this.opsOf.has(row)) this.opsOf.set(row, new Set());
        this.opsOf.get(row).add(op);
      }
    });
    this.list.reset(this.rows.length);
  }

  get count() {
    return this.rows.length;
  }

  get linked() {
    return [...this.opsOf.keys()];
  }

  /** Return what comes from a line, or was inlined by it: its first op, and all as `ops`; null for nothing. */
  targetOf(index) {
    const ops = this.opsOf.get(index);
    if (!ops) return null;
    return { ...this.data.targetOfOp(Math.min(...ops)), ops, row: index };
  }

  lineOf(target) {
    return target?.row ?? this.rowsOf[target?.op]?.[0] ?? -1;
  }

  isOf(target, index) {
    return this.lineOf(target) === index;
  }

  mark(row, index) {
    super.mark(row, index);
    const calls = (target) => !!target && !target.ops && !!this.rowsOf[target.op]?.includes(index);
    row.classList.toggle("of-op", calls(this.view.selected) && !this.isOf(this.view.selected, index));
    row.classList.toggle("hot", calls(this.view.hovered) || !!this.view.hovered && this.isOf(this.view.hovered, index));
  }

  /** Say what the ops of the lines cost; null where that is not known. */
  price(costs) {
    this.costs = costs && new LineCosts(costs, this.rows.map((_, index) => this.opsOf.get(index)));
    this.list.reset(this.rows.length);
  }

  placeOf(index) {
    return String(this.rows[index][0]);
  }

  textOf(index) {
    return this.rows[index][1];
  }

  write(row, index) {
    const [number, line] = this.rows[index], ops = this.opsOf.get(index);
    row.classList.toggle("file-name", !number);
    row.append(make("span", "number", number ? String(number).padStart(5) : ""));
    if (this.costs) row.append(this.costs.cell(index));
    else row.append(make("span", "uses", ops ? plural(ops.size, "op") : ""));
    row.append(make("span", "code", line));
  }
}
