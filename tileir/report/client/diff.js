// The pane of two files side by side: lines that both have, and those that differ.

const MARKS = { " ": "same", "-": "gone", "+": "new", "~": "moved", "*": "other", "!": "note" };

class DiffPane {
  constructor(view, element) {
    this.view = view;
    this.rows = view.model.diff.rows;
    this.changes = this.rows.flatMap(([mark], index) => (mark === " " ? [] : [index]));
    this.list = new RowList(element, ROW_HEIGHT, (row, i) => this.draw(row, i), (row, i) => this.mark(row, i));
    element.addEventListener("click", (event) => {
      const index = this.list.indexOf(event);
      if (index >= 0) this.choose(index, event.target.closest(".side.a") ? 0 : 1);
    });
  }

  load() {
    this.list.reset(this.rows.length);
  }

  choose(index, side) {
    const lines = [this.rows[index][1], this.rows[index][2]];
    const file = lines[side] === null ? 1 - side : side, line = lines[file];
    this.chosen = index;
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
    row.classList.toggle("selected", here);
    row.setAttribute("aria-selected", here);
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
    const at = this.chosen ?? -1, last = this.rows.length - 1;
    let to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: last }[event.key];
    if (event.key === "PageDown") to = this.changes.find((index) => index > at) ?? at;
    if (event.key === "PageUp") to = this.changes.findLast((index) => index < at) ?? at;
    if (to === undefined || last < 0) return false;
    this.chosen = Math.min(Math.max(to, 0), last);
    this.choose(this.chosen, this.view.number);
    this.list.reveal(this.chosen);
    return true;
  }
}
