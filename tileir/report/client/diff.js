// The pane of two files side by side: lines that both have, and those that differ.

const MARKS = { " ": "same", "-": "gone", "+": "new", "~": "moved", "*": "other", "!": "note" };

class DiffPane {
  /** `steps` is where the buttons stand that go from difference to difference. */
  constructor(view, element, steps) {
    this.view = view;
    this.rows = view.model.diff.rows;
    const differs = (index) => index >= 0 && this.rows[index][0] !== " ";
    this.changes = [...this.rows.keys()].filter((index) => differs(index) && !differs(index - 1));
    this.chosen = -1;
    this.place = make("span", "count");
    this.place.setAttribute("role", "status");
    steps.append(this.place, view.button("small", "previous", () => this.step(-1)), view.button("small", "next", () => this.step(1)));
    this.list = new RowList(element, ROW_HEIGHT, (row, i) => this.draw(row, i), (row, i) => this.mark(row, i));
    element.addEventListener("click", (event) => {
      const index = this.list.indexOf(event);
      if (index >= 0) this.choose(index, event.target.closest(".side.a") ? 0 : 1);
    });
  }

  load() {
    this.list.reset(this.rows.length);
    this.say();
  }

  /** Have the first difference in sight, before anything is selected. */
  begin() {
    this.list.reveal(this.changes[0] ?? -1);
  }

  /** Say which difference is chosen: lines that follow each other are one. */
  say() {
    const { length } = this.changes, at = this.changes.findLastIndex((index) => index <= this.chosen);
    const inside = at >= 0 && this.rows.slice(this.changes[at], this.chosen + 1).every(([mark]) => mark !== " ");
    this.place.textContent = (inside ? at + 1 + " of " : "") + plural(length, "difference");
  }

  /** Go to the next difference, or to the one before. */
  step(by) {
    const next = by > 0 ? this.changes.find((index) => index > this.chosen) : this.changes.findLast((index) => index < this.chosen);
    if (next !== undefined) this.go(next);
  }

  go(index) {
    this.choose(index, this.view.number);
    this.list.reveal(index);
    this.list.remark();
  }

  choose(index, side) {
    const lines = [this.rows[index][1], this.rows[index][2]];
    const file = lines[side] === null ? 1 - side : side, line = lines[file];
    this.chosen = index;
    this.say();
    if (line === null) return;
    const target = this.view.files[file].targetOfLine(line);
    if (!target) return;
    if (file !== this.view.number) this.view.open(file);
    this.view.select(target, this);
  }

  draw(row, index) {
    const [mark, before, after, note] = this.rows[index];
    row.setAttribute("role", "option");
    row.setAttribute("aria-setsize", this.rows.length);
    row.setAttribute("aria-posinset", index + 1);
    row.id = this.view.name + "-diff-" + index;
    row.classList.add("m-" + MARKS[mark]);
    if (mark === "!") {
      row.append(make("span", "note", note));
      return;
    }
    [before, after].forEach((line, side) => {
      const own = make("span", "side " + "ab"[side]), code = make("span", "code");
      if (line !== null) {
        appendWords(code, this.view.files[side].lines[line]);
        own.append(make("span", "number", String(line + 1).padStart(5)), make("span", "sign", mark), code);
      } else own.classList.add("none");
      row.append(own);
    });
  }

  mark(row, index) {
    const { selected, number, data } = this.view;
    const line = selected ? data.lineOf(selected) : -1;
    const here = line >= 0 && this.rows[index][1 + number] === line;
    const chosen = here || index === this.chosen;
    row.classList.toggle("selected", chosen);
    row.setAttribute("aria-selected", chosen);
  }

  reveal(target) {
    const line = this.view.data.lineOf(target);
    this.list.reveal(this.rows.findIndex((row) => row[1 + this.view.number] === line));
  }

  active(target) {
    const line = this.view.data.lineOf(target);
    return this.view.name + "-diff-" + this.rows.findIndex((row) => row[1 + this.view.number] === line);
  }

  key(event) {
    const at = this.chosen, last = this.rows.length - 1;
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: last }[event.key];
    if (event.key === "PageDown") this.step(1);
    else if (event.key === "PageUp") this.step(-1);
    else if (to === undefined || last < 0) return false;
    else this.go(Math.min(Math.max(to, 0), last));
    return true;
  }
}
