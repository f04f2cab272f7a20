// The panes of tables: types, strings, constants, debug records, and what is wrong with the file.

const HEADS = {
  types: "Types", strings: "Strings", constants: "Constants", debug: "Debug", problems: "Problems",
};

class TablePane {
  constructor(view, element, table) {
    this.view = view;
    this.table = table;
    const height = table === "problems" ? 4 * ROW_HEIGHT : ROW_HEIGHT;
    this.list = new RowList(element, height, (row, i) => this.draw(row, i), (row, i) => this.mark(row, i));
    const targetAt = (event) => {
      const index = this.list.indexOf(event);
      return index < 0 ? null : this.targetOf(this.order[index]);
    };
    this.list.link(view, this, targetAt, (event) => {
      const index = this.list.indexOf(event);
      if (index >= 0) this.choose(this.order[index]);
    });
  }

  load(data) {
    this.data = data;
    this.chosen = -1;
    this.rows = this.table === "problems" ? data.file.problems : data.file.tables[this.table].field;
    this.filter("");
  }

  /** Show the rows alone that have a text, in lower case; all of them for an empty one. */
  filter(asked) {
    const all = [...this.rows.keys()];
    this.order = asked ? all.filter((index) => this.textOf(index).toLowerCase().includes(asked)) : all;
    this.list.element.dataset.nothing = all.length && !this.order.length ? "Nothing here has this text." : "";
    this.list.reset(this.order.length);
  }

  /** How many rows are shown. */
  get count() {
    return this.order.length;
  }

  textOf(index) {
    if (this.table !== "problems") return this.data.texts[this.data.file.tables[this.table].text[index]];
    const { severity, rule, message, op, location } = this.rows[index];
    return [severity, rule, message, op, location].join(" ");
  }

  // Rows are named by their index in the table; the list counts those that are shown.

  targetOf(index) {
    if (this.table === "problems") {
      const { offset } = this.rows[index];
      const there = offset !== null && offset < this.data.bytes.length;
      return there ? this.data.targetOfField(this.data.fieldAt(offset)) : null;
    }
    const field = this.rows[index];
    if (field < 0) return null;
    const { node } = this.data.targetOfField(field);
    const entry = this.data.nodes.level[node] === LEVEL.entry;
    return entry ? this.data.targetOfNode(node) : this.data.targetOfField(field);
  }

  choose(index) {
    this.chosen = index;
    const target = this.targetOf(index);
    if (target) this.view.select(target, this);
    else this.list.remark();
  }

  draw(row, shown) {
    const index = this.order[shown];
    row.setAttribute("role", "option");
    row.setAttribute("aria-setsize", this.count);
    row.setAttribute("aria-posinset", shown + 1);
    row.id = this.view.name + "-" + this.table + "-" + index;
    if (this.table === "problems") {
      this.drawProblem(row, this.rows[index]);
      return;
    }
    const { text, uses } = this.data.file.tables[this.table];
    const number = this.table === "debug" ? index + 1 : index;
    const used = uses[index] ? plural(uses[index], "use") : "unused";
    row.append(make("span", "number", String(number).padStart(5)), make("span", "uses", used));
    const words = make("span", "code");
    if (this.table === "types") appendWords(words, this.data.texts[text[index]]);
    else words.append(visible(this.data.texts[text[index]]));
    if (!words.hasChildNodes()) words.append("not readable");
    row.append(words);
  }

  drawProblem(row, problem) {
    row.classList.add("problem", problem.severity);
    const place = problem.offset === null ? "the module" : hexadecimal(problem.offset);
    const where = [problem.op, problem.function && "in " + problem.function, problem.location && "at " + problem.location];
    const head = make("span", "problem-head", problem.severity + " at " + place + "  " + problem.rule);
    const more = [...where, problem.hint && "hint: " + problem.hint].filter(Boolean).join("  ");
    row.append(head, make("span", "problem-text", problem.message), make("span", "problem-more", more));
  }

  mark(row, shown) {
    const { selected, hovered } = this.view, index = this.order[shown], target = this.targetOf(index);
    const inside = (outer) => !!outer && !!target && outer.start >= target.start && outer.end <= target.end;
    const same = this.table === "problems" ? !!target && selected?.start === target.start && selected.field >= 0 : inside(selected);
    row.classList.toggle("selected", this.chosen === index || same);
    row.classList.toggle("hot", inside(hovered));
    row.setAttribute("aria-selected", row.classList.contains("selected"));
  }

  reveal(target) {
    const inside = (index) => {
      const own = this.targetOf(index);
      return own && target.start >= own.start && target.end <= own.end;
    };
    if (this.table === "problems") return;
    const section = this.data.sectionOf[target.node];
    const first = this.rows.find((field) => field >= 0);
    if (first === undefined || this.data.sectionOf[this.data.fields.node[first]] !== section) return;
    this.list.reveal(this.order.findIndex(inside));
  }

  active() {
    return this.view.name + "-" + this.table + "-" + Math.max(0, this.chosen);
  }

  key(event) {
    const steps = {
      ArrowUp: -1, ArrowDown: 1, PageUp: -this.list.shown, PageDown: this.list.shown,
      Home: -Infinity, End: Infinity,
    };
    const step = steps[event.key];
    if (step === undefined || !this.count) return false;
    const to = Math.min(Math.max(this.order.indexOf(this.chosen) + step, 0), this.count - 1);
    this.choose(this.order[to]);
    this.list.reveal(to);
    return true;
  }
}
