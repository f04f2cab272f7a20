// The pane of source text: the lines of all files, each linked with the ops that come from it.

class SourcePane extends LinkedPane {
  constructor(view, element, name = "source") {
    super(view, element, name);
  }

  load(data) {
    super.load(data);
    this.rows = [];  // of each row the number of its line, from 1, and its text; 0 for the name of a file
    this.opsOf = new Map();
    this.rowOf = new Map();
    for (const { name, lines, ops, rows } of data.file.sources) {
      this.rows.push([0, name]);
      const first = this.rows.length;
      lines.forEach((line, index) => this.rows.push([index + 1, line]));
      ops.forEach((op, index) => {
        const row = first + rows[index];
        this.rowOf.set(op, row);
        if (!this.opsOf.has(row)) this.opsOf.set(row, new Set());
        this.opsOf.get(row).add(op);
      });
    }
    this.list.reset(this.rows.length);
  }

  get count() {
    return this.rows.length;
  }

  get linked() {
    return [...this.opsOf.keys()];
  }

  /** Return what comes from a line: its first op, and all of them as `ops`; null for nothing. */
  targetOf(index) {
    const ops = this.opsOf.get(index);
    if (!ops) return null;
    return { ...this.data.targetOfOp(Math.min(...ops)), ops };
  }

  lineOf(target) {
    return this.rowOf.get(target?.op) ?? -1;
  }

  isOf(target, index) {
    return this.lineOf(target) === index;
  }

  write(row, index) {
    const [number, line] = this.rows[index], ops = this.opsOf.get(index);
    row.classList.toggle("file-name", !number);
    row.append(make("span", "number", number ? String(number).padStart(5) : ""));
    row.append(make("span", "uses", ops ? plural(ops.size, "op") : ""), make("span", "code", line));
  }
}
