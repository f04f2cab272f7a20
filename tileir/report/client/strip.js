// The strip above the panes, which shows what covers the file, and the details below them.

class Strip {
  constructor(view, element) {
    this.view = view;
    this.bar = make("div", "bar");
    this.bar.setAttribute("aria-hidden", "true");
    this.legend = make("div", "legend");
    this.legend.setAttribute("role", "group");
    this.legend.setAttribute("aria-label", "sections");
    this.ticks = make("div", "ticks");
    this.ticks.setAttribute("aria-hidden", "true");
    this.sight = make("div", "sight");
    element.append(this.bar, this.ticks, this.legend);
    this.bar.addEventListener("click", (event) => {
      const box = this.bar.getBoundingClientRect();
      const size = this.data.bytes.length;
      const at = Math.floor((event.clientX - box.left) / box.width * size);
      if (size) view.select(this.data.targetOfByte(Math.min(Math.max(at, 0), size - 1)), this);
    });
    this.legend.addEventListener("click", (event) => {
      const chip = event.target.closest("button");
      if (chip) view.select(this.data.targetOfNode(Number(chip.dataset.node)), this);
    });
  }

  load(data) {
    this.data = data;
    this.bar.replaceChildren();
    this.legend.replaceChildren();
    this.ticks.replaceChildren(this.sight);
    const nodes = [];
    data.nodes.level.forEach((level, node) => { if (level === LEVEL.section) nodes.push(node); });
    data.file.sections.forEach((section, index) => {
      const size = section.end - section.start;
      if (!size) return;
      const part = make("div", "part s-" + section.kind, make("span", "", section.name));
      part.style.flexGrow = size;
      this.bar.append(part);
      const percent = 100 * size / data.bytes.length;
      const share = percent < 0.05 ? "< 0.1" : percent.toFixed(percent < 10 ? 1 : 0);
      const chip = make("button", "chip", make("span", "swatch s-" + section.kind), section.name,
        make("span", "share", " " + size.toLocaleString("en") + " B, " + share + " %"));
      chip.type = "button";
      chip.dataset.node = nodes[index];
      this.legend.append(chip);
    });
    for (const problem of data.file.problems) {
      if (problem.offset === null) continue;
      const tick = make("div", "tick " + problem.severity);
      tick.style.left = 100 * Math.min(1, problem.offset / Math.max(1, data.bytes.length)) + "%";
      this.ticks.append(tick);
    }
    this.show();
  }

  /** Show which bytes are in sight, and which are selected. */
  show() {
    const size = Math.max(1, this.data.bytes.length), { list } = this.view.hex;
    this.sight.style.left = 100 * Math.min(1, list.first * PER_ROW / size) + "%";
    this.sight.style.width = 100 * Math.min(1, list.shown * PER_ROW / size) + "%";
  }
}

const MOST_PLACES = 12;  // buttons to other lines
const MOST_FUNCTIONS = 24;

class Details {
  constructor(view, element) {
    this.view = view;
    this.element = element;
  }

  show(target) {
    const data = this.view.data;
    this.element.replaceChildren();
    this.element.classList.toggle("empty", !target);
    if (!target) {
      const text = "Point at a byte, a field or a line; click to keep it. Press ? for the keys.";
      this.element.append(make("div", "", make("p", "nothing", text), this.functions()));
      return;
    }
    const list = make("dl", "facts"), { field, node, op } = target;
    const add = (word, ...value) => list.append(make("dt", "", word), make("dd", "", ...value));
    const isOp = op >= 0 && data.ops.line[op] >= 0 && data.file.text.form === "text";
    const size = target.end - target.start;
    const range = hexadecimal(target.start) + (size > 1 ? " to " + hexadecimal(target.end - 1) : "");
    if (field >= 0) {
      add("field", make("span", "mono", data.path(field)));
      add("bytes", make("span", "mono", range), make("span", "mono kind", this.raw(target)), this.copyButton());
      const kind = data.text(data.fields.kind, field), value = data.fields.value[field];
      const meaning = data.text(data.fields.meaning, field);
      add("value", make("span", "mono", meaning || String(value ?? "")), make("span", "kind", kind));
      const reference = data.reference(field);
      if (reference) {
        const go = make("button", "go", "go to " + reference.table + " " + reference.index);
        go.type = "button";
        go.addEventListener("click", () => this.view.jump(data.targetOfField(reference.field), this));
        list.lastChild.append(go);
      }
      const about = data.text(data.fields.doc, field);
      if (about) add("about", about);
    } else if (node >= 0) {
      if (isOp) add("text", make("span", "mono what", data.lines[data.ops.line[op]].trim()));
      add(["section", "function", "op", "entry", "list"][data.nodes.level[node]],
        make("span", "mono what", data.text(data.nodes.text, node)));
      if (isOp) for (const each of [...list.children].slice(2)) each.classList.add("numbered");
      add("bytes", make("span", "mono", range), make("span", "kind", plural(size, "byte")), this.copyButton());
      const first = data.nodes.first[node];
      const about = first < data.fields.doc.length && data.nodes.level[node] >= LEVEL.op
        ? data.text(data.fields.doc, first) : "";
      if (about && data.nodes.level[node] !== LEVEL.list) add("about", about);
    }
    const problem = data.file.problems.find((each) => each.offset !== null
      && each.offset >= target.start && each.offset < target.end);
    if (problem) {
      const text = make("span", problem.severity, problem.message);
      const said = make("dd", "", text, problem.about ? make("span", "kind", problem.about) : "");
      list.prepend(make("dt", "", problem.severity), said);
    }
    this.element.append(list);
    if (op >= 0) this.element.append(this.around(op, field >= 0));
  }

  /** Return the functions of the file, as buttons, for who has selected nothing yet. */
  functions() {
    const { functions } = this.view.data.file, more = functions.length - MOST_FUNCTIONS;
    const buttons = functions.slice(0, MOST_FUNCTIONS).map(({ name, node }) =>
      this.view.button("go mono", name, () => this.view.jump(this.view.data.targetOfNode(node), this)));
    return make("p", "links", make("span", "kind", functions.length === 1 ? "function" : "functions"), ...buttons,
      more > 0 ? make("span", "kind", more.toLocaleString("en") + " more: search for a name") : "");
  }

  /** Return where an op is from, where its operands are made, and where its results are used. */
  around(op, named) {
    const list = make("dl", "facts values"), { data } = this.view, line = data.ops.line[op];
    const location = data.text(data.ops.location, op), stack = stackShown(this.view, op);
    const say = (word, value) => list.append(make("dt", "", word), make("dd", "", value));
    if (stack.length) say("source", make("span", "stack", ...stack));
    else if (location) say("source", make("span", "mono", location));
    const add = (word, ops) => {
      const more = ops.length - MOST_PLACES;
      const buttons = ops.slice(0, MOST_PLACES).map((each) => this.place(each, op));
      if (ops.length) list.append(make("dt", "", word), make("dd", "", ...buttons, more > 0 ? make("span", "kind", more + " more") : ""));
    };
    add("from", data.ops.from[op]);
    add("used by", data.usersOf(op));
    const place = "op " + op + (line >= 0 && data.file.text.form === "text" ? ", line " + (line + 1) : "");
    const name = named ? data.text(data.ops.name, op) : "";  // of an unknown op there is none
    say("place", name ? name + ", " + place : place);
    return list;
  }

  /** Return a button that leads to an op; -1 stands for the function of `inside`, whose parameters are used. */
  place(op, inside) {
    const { data } = this.view;
    const around = data.file.functions[data.ops.function[inside]], line = op < 0 ? around.line : data.ops.line[op];
    const name = make("span", "mono", op < 0 ? "parameters" : data.text(data.ops.name, op));
    const button = make("button", "go", name, make("span", "kind", line < 0 ? "op " + op : "line " + (line + 1)));
    button.type = "button";
    button.addEventListener("click", () => {
      this.view.jump(op < 0 ? data.targetOfNode(around.node) : data.targetOfOp(op), this);
    });
    return button;
  }

  copyButton() {
    const button = make("button", "go copy", "copy");
    button.type = "button";
    button.addEventListener("click", () => this.copy());
    return button;
  }

  /** Copy the bytes of what is selected, in hexadecimal; the button says so. */
  async copy() {
    const target = this.view.selected;
    if (!target) return;
    const { bytes, blank } = this.view.data, parts = [];
    for (let at = target.start; at < target.end; at++) parts.push(blank[at] ? "\u00b7\u00b7" : bytes[at].toString(16).padStart(2, "0"));
    let said = "copied";
    try { await navigator.clipboard.writeText(parts.join(" ")); } catch { said = "not allowed"; }
    const button = this.element.querySelector(".copy");
    if (button) button.textContent = said;
  }

  raw(target) {
    const { bytes, blank } = this.view.data, shown = Math.min(target.end, target.start + 16);
    const parts = [];
    for (let at = target.start; at < shown; at++) {
      parts.push(blank[at] ? "\u00b7\u00b7" : bytes[at].toString(16).padStart(2, "0"));
    }
    return parts.join(" ") + (shown < target.end ? " ... " + plural(target.end - target.start, "byte") : "");
  }
}
