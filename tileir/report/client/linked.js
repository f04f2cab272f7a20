// A pane of lines, each linked with ops; what it shows, and which line is of what, is said by its kind.

const STEPS = { ArrowUp: -1, ArrowDown: 1, PageUp: -1, PageDown: 1, Home: -Infinity, End: Infinity };

/** A kind has `count`, `targetOf(index)`, `lineOf(target)` (-1 for none), `linked` (its lines with ops, in any
 * order), `isOf(target, index)` and `write(row, index)`. */
class LinkedPane {
  /** `name` is what the ids of its rows begin with. */
  constructor(view, element, name) {
    this.view = view;
    this.prefix = view.name + "-" + name + "-";
    this.list = new RowList(element, ROW_HEIGHT, (row, i) => this.draw(row, i), (row, i) => this.mark(row, i));
    this.list.link(view, this, (event) => this.targetOf(this.list.indexOf(event)));
  }

  load(data) {
    this.data = data;
  }

  draw(row, index) {
    row.setAttribute("role", "option");
    row.setAttribute("aria-setsize", this.count);
    row.setAttribute("aria-posinset", index + 1);
    row.id = this.prefix + index;
    this.write(row, index);
  }

  mark(row, index) {
    const { selected, hovered } = this.view, here = !!selected && this.isOf(selected, index);
    row.classList.toggle("selected", here);
    row.classList.toggle("hot", !!hovered && this.isOf(hovered, index));
    row.classList.toggle("found", this.found === index);
    row.setAttribute("aria-selected", here);
  }

  reveal(target) {
    this.list.reveal(this.lineOf(target));
  }

  active(target) {
    return this.prefix + Math.max(0, this.lineOf(target));
  }

  key(event) {
    if (!(event.key in STEPS) || !this.linked.length) return false;
    const step = STEPS[event.key] * (event.key.startsWith("Page") ? this.list.shown : 1);
    const places = [...this.linked].sort((one, other) => one - other);
    const to = this.lineOf(this.view.selected) + step;
    const next = step > 0 ? places.find((place) => place >= to) : places.findLast((place) => place <= to);
    this.view.select(this.targetOf(next ?? (step > 0 ? places.at(-1) : places[0])), this);
    return true;
  }
}
