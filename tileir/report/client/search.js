// Search: text in lines, fields and tables, or in the lines of a kernel's panes; 0x1f3 goes to a byte.

const MOST_FOUND = 10000;

class Search {
  constructor(view, input, count) {
    this.view = view;
    this.input = input;
    this.count = count;
    this.found = [];
    this.at = -1;
    this.asked = "";
    input.addEventListener("input", () => this.look());
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") { event.preventDefault(); this.step(event.shiftKey ? -1 : 1); }
      if (event.key === "Escape") { event.preventDefault(); this.clear(); view.focusPane(); }
    });
  }

  clear() {
    if (!this.asked) return;
    this.input.value = "";
    this.look();
  }

  look() {
    const asked = this.input.value.trim().toLowerCase();
    this.mark();
    this.asked = asked;
    this.filter(/^0x[0-9a-f]+$/.test(asked) ? "" : asked);
    this.found = asked ? this.places(asked) : [];
    this.at = -1;
    if (this.found.length) this.step(1);
    else this.count.textContent = asked ? "nothing found" : "";
  }

  /** Leave in the tables what has a text. */
  filter(asked) {
    for (const name of Object.keys(HEADS)) this.view.panes[name].filter(asked);
    this.view.nameTabs();
  }

  /** Return what is found: targets in the order of the file; of a kernel's listings { pane, line, target }. */
  places(asked) {
    const data = this.view.data, { fields, nodes, texts } = data;
    const number = /^0x([0-9a-f]+)$/.exec(asked);
    if (number) {
      const offset = parseInt(number[1], 16);
      return offset < data.bytes.length ? [data.targetOfByte(offset)] : [];
    }
    const has = texts.map((text) => text.toLowerCase().includes(asked));
    const found = [];
    data.lines.forEach((line, index) => {
      const target = line.toLowerCase().includes(asked) ? data.targetOfLine(index) : null;
      if (target && found.length < MOST_FOUND) found.push(target);
    });
    if (this.view.kernels?.opened === true) return [...found, ...this.view.kernels.linesWith(asked)].slice(0, MOST_FOUND);
    for (let node = 0; node < nodes.text.length && found.length < MOST_FOUND; node++) {
      if (has[nodes.text[node]] && (nodes.level[node] !== LEVEL.op || !data.lines.length)) found.push(data.targetOfNode(node));
    }
    for (let field = 0; field < fields.meaning.length && found.length < MOST_FOUND; field++) {
      if (has[fields.meaning[field]] || has[fields.name[field]]) found.push(data.targetOfField(field));
    }
    return found;
  }

  step(by) {
    const { length } = this.found;
    if (!length) return;
    this.at = (this.at + by + length) % length;
    const more = length >= MOST_FOUND ? " or more" : "";
    this.count.textContent = (this.at + 1).toLocaleString("en") + " of " + length.toLocaleString("en") + more;
    const place = this.found[this.at], { pane, line } = place, target = pane ? place.target : place;
    this.mark(pane, line);
    if (target) this.view.select(target, this);
    if (pane) pane.list.reveal(line);
    pane?.list.remark();
  }

  /** Mark the line of a listing that was found, and no other one. */
  mark(pane, line) {
    if (this.marked) this.marked.found = -1;
    this.marked?.list.remark();
    this.marked = pane;
    if (pane) pane.found = line;
  }
}
