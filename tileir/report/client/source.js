// The pane of source text: the lines of all files, each linked with the ops that come from it.

class SourcePane {
  /** `name` is what the ids of its rows begin with. */
  constructor(view, element, name = "source") {
    this.view = view;
    this.prefix = view.name + "-" + name + "-";
    this.list = new RowList(element, ROW_HEIGHT, (row, i) => this.draw(row, i), (row, i) => this.mark(row, i));
    element.addEventListener("pointermove", (event) => view.hover(this.targetOf(this.list.indexOf(event)), this));
    element.addEventListener("pointerleave", () => view.hover(null, this));
    element.addEventListener("click", (event) => {
      const target = this.targetOf(this.list.indexOf(event));
      if (target) view.select(target, this);
    });
  }

  load(data) {
    this.data = data;
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

  /** Return what comes from a line: its first op, and all of them as `ops`; null for nothing. */
  targetOf(index) {
    const ops = this.opsOf.get(index);
    if (!ops) return null;
    return { ...this.data.targetOfOp(Math.min(...ops)), ops };
  }

  rowsOf(target) {
    const row = target ? this.rowOf.get(target.op) : undefined;
    return row === undefined ? -1 : row;
  }

  draw(row, index) {
    const [number, line] = this.rows[index], ops = this.opsOf.get(index);
    row.setAttribute("role", "option");
    row.setAttribute("aria-setsize", this.count);
    row.setAttribute("aria-posinset", index + 1);
    row.id = this.prefix + index;
    row.classList.toggle("file-name", !number);
    row.append(make("span", "number", number ? String(number).padStart(5) : ""));
    row.append(make("span", "uses", ops ? plural(ops.size, "op") : ""), make("span", "code", line));
  }

  mark(row, index) {
    const { selected, hovered } = this.view, here = this.rowsOf(selected) === index;
    row.classList.toggle("selected", here);
    row.classList.toggle("hot", !!hovered && this.rowsOf(hovered) === index);
    row.setAttribute("aria-selected", here);
  }

  reveal(target) {
    this.list.reveal(this.rowsOf(target));
  }

  active(target) {
    return this.prefix + this.rowsOf(target);
  }

  key(event) {
    const steps = {
      ArrowUp: -1, ArrowDown: 1, PageUp: -this.list.shown, PageDown: this.list.shown,
      Home: -Infinity, End: Infinity,
    };
    const step = steps[event.key];
    if (step === undefined || !this.opsOf.size) return false;
    const places = [...this.opsOf.keys()].sort((one, other) => one - other);
    const at = this.rowsOf(this.view.selected), to = at + step;
    const next = step > 0 ? places.find((place) => place >= to) : places.findLast((place) => place <= to);
    this.view.select(this.targetOf(next ?? (step > 0 ? places.at(-1) : places[0])), this);
    return true;
  }
}
