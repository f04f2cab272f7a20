// The pane of fields: sections, functions, ops and entries of tables, with their fields below them.

const DEEPEST = 40;
const ALL_OPEN = 3000;  // rows up to which a file is shown unfolded

class TreePane {
  constructor(view, element) {
    this.view = view;
    this.list = new RowList(element, ROW_HEIGHT, (row, i) => this.draw(row, i), (row, i) => this.mark(row, i));
    const targetAt = (event) => {
      const index = this.list.indexOf(event);
      return index < 0 ? null : this.targetOf(index);
    };
    this.list.link(view, this, targetAt, (event) => {
      const index = this.list.indexOf(event);
      if (index < 0) return;
      const node = this.rows[index] < 0 ? ~this.rows[index] : -1;
      if (node >= 0 && event.target.closest(".fold")) this.fold(node);
      else view.select(this.targetOf(index), this);
    });
    element.addEventListener("dblclick", (event) => {
      const index = this.list.indexOf(event);
      if (index >= 0 && this.rows[index] < 0) this.fold(~this.rows[index]);
    });
  }

  // A row is the number of a field, or that of a node with all bits turned: a negative number.

  load(data) {
    this.data = data;
    const { nodes, fields } = data, count = nodes.level.length;
    this.order = [];
    let node = 0;
    for (let field = 0; field <= fields.length.length; field++) {
      while (node < count && nodes.first[node] === field) this.order.push(~node++);
      if (field < fields.length.length) this.order.push(field);
    }
    this.closed = new Uint8Array(count);
    const large = this.order.length > ALL_OPEN;
    for (let i = 0; i < count; i++) {
      const list = nodes.level[i] === LEVEL.list;
      if (list || (large && nodes.level[i] >= LEVEL.op)) this.closed[i] = 1;
    }
    this.refresh();
  }

  depthOf(row) {
    return row < 0 ? this.data.nodes.depth[~row] : this.data.nodes.depth[this.data.fields.node[row]] + 1;
  }

  /** List the rows again that are not inside of closed nodes. */
  refresh() {
    const rows = [];
    let hidden = Infinity;
    for (const row of this.order) {
      const depth = this.depthOf(row);
      if (depth > hidden) continue;
      hidden = Infinity;
      rows.push(row);
      if (row < 0 && this.closed[~row]) hidden = depth;
    }
    this.rows = rows;
    this.place = new Map();
    rows.forEach((row, index) => this.place.set(row, index));
    this.list.reset(rows.length);
  }

  fold(node, closed = !this.closed[node]) {
    const top = this.list.element.scrollTop;
    this.closed[node] = closed ? 1 : 0;
    this.refresh();
    this.list.element.scrollTop = top;
  }

  foldAll(closed) {
    const { level } = this.data.nodes;
    for (let node = 0; node < level.length; node++) {
      this.closed[node] = closed && level[node] >= LEVEL.op ? 1 : 0;
    }
    this.refresh();
    if (this.view.selected) this.reveal(this.view.selected);
  }

  targetOf(index) {
    const row = this.rows[index];
    return row < 0 ? this.data.targetOfNode(~row) : this.data.targetOfField(row);
  }

  rowOf(target) {
    return target.field >= 0 ? target.field : ~target.node;
  }

  /** Return the row that shows a target: its own, or that of the closed node around it. */
  shownRow(target) {
    let row = this.rowOf(target);
    let node = row < 0 ? ~row : this.data.fields.node[row];
    while (!this.place.has(row) && node >= 0) {
      row = ~node;
      node = this.data.nodes.parent[node];
    }
    return this.place.get(row) ?? -1;
  }

  draw(row, index) {
    const entry = this.rows[index], data = this.data, depth = this.depthOf(entry);
    row.setAttribute("role", "treeitem");
    row.setAttribute("aria-level", depth + 1);
    row.id = this.view.name + "-tree-" + index;
    row.style.setProperty("--depth", Math.min(depth, DEEPEST));
    const target = this.targetOf(index);
    const offset = make("span", "offset", target.start.toString(16).padStart(data.digits, "0"));
    const name = make("span", "name");
    if (entry < 0) {
      const node = ~entry, level = data.nodes.level[node], fold = make("span", "fold");
      fold.setAttribute("aria-hidden", "true");
      row.setAttribute("aria-expanded", this.closed[node] ? "false" : "true");
      row.classList.add("node", "l" + level);
      name.append(fold);
      if (level === LEVEL.section) name.append(make("span", "swatch s-" + data.file.sections[data.sectionOf[node]].kind));
      const text = data.text(data.nodes.text, node);
      if (level === LEVEL.op && text) appendWords(name, text);
      else if (level === LEVEL.op) name.append(make("span", "leaf", "unknown op"));
      else name.append(visible(text));
      row.append(offset, name);
      return;
    }
    name.append(make("span", "leaf", data.text(data.fields.name, entry)));
    row.append(offset, name, make("span", "meaning", data.text(data.fields.meaning, entry)));
  }

  mark(row, index) {
    const { selected, hovered } = this.view, entry = this.rows[index];
    const target = this.targetOf(index);
    const bad = entry >= 0 ? this.data.badFields.get(entry) : undefined;
    row.classList.toggle("selected", !!selected && this.shownRow(selected) === index);
    const ofLine = (one) => target.op >= 0 && !!one?.ops?.has(target.op);
    row.classList.toggle("of-op", !!selected && entry >= 0 && selected.op >= 0 && target.op === selected.op
      || ofLine(selected));
    row.classList.toggle("hot", !!hovered && target.start >= hovered.start && target.end <= hovered.end
      && target.end > target.start || ofLine(hovered));
    row.classList.toggle("error", bad === "error");
    row.classList.toggle("warning", bad === "warning");
    row.setAttribute("aria-selected", row.classList.contains("selected"));
  }

  reveal(target, open = false) {
    if (open) this.open(target);
    this.list.reveal(this.shownRow(target));
  }

  /** Open the nodes around a target. */
  open(target) {
    let changed = false;
    let node = target.field >= 0 ? target.node : this.data.nodes.parent[target.node];
    for (; node >= 0; node = this.data.nodes.parent[node]) {
      changed ||= this.closed[node] === 1;
      this.closed[node] = 0;
    }
    if (changed) this.refresh();
  }

  active(target) {
    return this.view.name + "-tree-" + this.shownRow(target);
  }

  key(event) {
    const selected = this.view.selected;
    const index = selected ? this.shownRow(selected) : -1;
    const row = this.rows[index], node = row < 0 ? ~row : -1;
    const steps = {
      ArrowUp: -1, ArrowDown: 1, PageUp: -this.list.shown, PageDown: this.list.shown,
      Home: -Infinity, End: Infinity,
    };
    if (event.key === "ArrowRight" && node >= 0 && this.closed[node]) this.fold(node, false);
    else if (event.key === "ArrowLeft" && node >= 0 && !this.closed[node]) this.fold(node, true);
    else if (event.key === "ArrowLeft" && row !== undefined) {
      const parent = node >= 0 ? this.data.nodes.parent[node] : this.data.fields.node[row];
      if (parent >= 0) this.view.select(this.data.targetOfNode(parent), this);
    } else {
      const step = event.key === "ArrowRight" ? 1 : steps[event.key];
      if (step === undefined || !this.rows.length) return false;
      const to = Math.min(Math.max(index + step, 0), this.rows.length - 1);
      this.view.select(this.targetOf(to), this);
    }
    return true;
  }
}
