// The pane of text: lines of Tile IR, or an outline of what has no text.

class LinesPane {
  /** `name` is what the ids of its rows begin with. */
  constructor(view, element, name = "line") {
    this.view = view;
    this.prefix = view.name + "-" + name + "-";
    this.pointedValue = "";
    this.list = new RowList(element, ROW_HEIGHT, (row, i) => this.draw(row, i), (row, i) => this.mark(row, i));
    element.addEventListener("pointermove", (event) => this.pointed(event));
    element.addEventListener("pointerleave", () => { this.pointedValue = ""; view.hover(null, this); });
    element.addEventListener("click", (event) => {
      const index = this.list.indexOf(event);
      const target = index < 0 ? null : this.data.targetOfLine(index);
      if (target) view.select(target, this);
    });
  }

  load(data) {
    this.data = data;
    this.width = String(data.lines.length).length;
    this.list.reset(data.lines.length);
  }

  draw(row, index) {
    row.setAttribute("role", "option");
    row.setAttribute("aria-setsize", this.data.lines.length);
    row.setAttribute("aria-posinset", index + 1);
    row.id = this.prefix + index;
    const code = make("span", "code");
    appendWords(code, this.data.lines[index]);
    row.append(make("span", "number", String(index + 1).padStart(this.width)), ...(this.costs ? [this.costs.cell(index)] : []), code);
  }

  /** Say what the ops of the lines cost; null where that is not known. */
  price(costs) {
    const { line } = this.data.ops, ofLine = (op, index) => op >= 0 && line[op] === index ? [op] : undefined;
    this.costs = costs && new LineCosts(costs, [...this.data.opOfLine].map(ofLine));
    this.list.reset(this.data.lines.length);
  }

  targetOf(index) {
    return this.data.targetOfLine(index);
  }

  placeOf(index) {
    return String(index + 1);
  }

  /** Return what a line does, without the names of its results. */
  textOf(index) {
    return this.data.lines[index].replace(/^\s*%[^=]*= /, "");
  }

  /** Return the lines of a target, as [first, end). */
  rangeOf(target) {
    if (!target) return [-1, -1];
    const op = target.op;
    const isOp = op >= 0 && this.data.ops.line[op] >= 0;
    if (isOp) return [this.data.ops.line[op], this.data.ops.line[op] + this.data.ops.lines[op]];
    const line = this.data.lineOf(target);
    return [line, line + 1];
  }

  mark(row, index) {
    const { selected, hovered } = this.view;
    const [first, end] = this.rangeOf(selected), [from, to] = this.rangeOf(hovered);
    const bad = this.data.marks.get(index);
    row.classList.toggle("selected", index === first);
    const ofLine = (target) => !!target?.ops?.has(this.data.opOfLine[index]);
    row.classList.toggle("of-op", index > first && index < end || index !== first && ofLine(selected));
    row.classList.toggle("hot", index >= from && index < to || ofLine(hovered));
    row.classList.toggle("error", bad === "error");
    row.classList.toggle("warning", bad === "warning");
    row.setAttribute("aria-selected", index === first);
    for (const span of row.querySelectorAll("[data-value]")) {
      span.classList.toggle("same", !!this.pointedValue && span.dataset.value === this.pointedValue);
    }
  }

  pointed(event) {
    const index = this.list.indexOf(event);
    const span = event.target instanceof Element ? event.target.closest("[data-value]") : null;
    const value = span ? span.dataset.value : "";
    if (value !== this.pointedValue) {
      this.pointedValue = value;
      this.list.remark();
    }
    this.view.hover(index < 0 ? null : this.data.targetOfLine(index), this);
  }

  reveal(target) {
    this.list.reveal(this.rangeOf(target)[0]);
  }

  active(target) {
    return this.prefix + this.rangeOf(target)[0];
  }

  key(event) {
    const steps = {
      ArrowUp: -1, ArrowDown: 1, PageUp: -this.list.shown, PageDown: this.list.shown,
      Home: -Infinity, End: Infinity,
    };
    const step = steps[event.key];
    if (step === undefined || !this.data.lines.length) return false;
    let line = this.view.selected ? this.rangeOf(this.view.selected)[0] : -1;
    line = Math.min(Math.max(line + step, 0), this.data.lines.length - 1);
    const direction = Math.sign(step);
    let target = this.data.targetOfLine(line);
    const seen = this.view.selected;
    while (target && seen && target.start === seen.start && target.end === seen.end
      && line + direction >= 0 && line + direction < this.data.lines.length) {
      line += direction;
      target = this.data.targetOfLine(line);
    }
    if (target) this.view.select(target, this);
    return true;
  }
}
