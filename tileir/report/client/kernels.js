// The view for who writes kernels: what the figures say, and all forms of a kernel beside each other.

class KernelsView {
  /** It stands in `root` in front of `file`, the panes of the file, and takes turns with them. */
  constructor(view, root, file) {
    this.view = view;
    this.root = root;
    this.others = [root.querySelector(".strip"), file];
    this.chosen = 0;
    this.proposed = -1;  // the op that was selected because none was
    const main = this.main = make(view.anchors ? "main" : "div", "kernels");
    this.about = make("section", "about");
    this.about.setAttribute("aria-label", "what is known of the kernel");
    this.about.tabIndex = 0;
    main.append(this.about);
    this.panes = [];
    const forms = [];
    const add = (name, title, draw) => {
      const { element, head, body } = view.pane(name, title, "listbox");
      main.append(element);
      const pane = view.panes[name] = draw(body, { element, head, body });
      this.panes.push(pane);
      if (PRICED.includes(name)) head.append(costKey());
      forms.push({ name, title, element, later: name === "kernel-ptx" });
      return pane;
    };
    if (view.files[0].file.sources.length) add("kernel-source", "Source", (body) => new SourcePane(view, body, "kernel-source"));
    add("kernel-text", "Tile IR", (body) => new LinesPane(view, body, "kernel-line"));
    const records = view.files[0].file.kernels;
    const has = (name) => records.some((each) => each[name]);
    if (has("stages")) this.stages = add("kernel-stages", "Stages", (_, pane) => new StagesPane(view, pane, "kernel-stages"));
    if (has("ptx")) this.ptx = add("kernel-ptx", "PTX", (body) => new ListingPane(view, body, "kernel-ptx"));
    if (has("sass") || has("tileiras")) {
      this.code = add("kernel-sass", "Machine code", (_, pane) => new CodePane(view, pane, "kernel-sass", () => this.choose(this.chosen)));
    }
    this.arrangement = new Arrangement(view, main, forms, () => this.remark());
    this.panes.reverse();  // the last one is what has the keys after a search: the text or the source
    file.before(main);
    if (records.some((each) => each.pictures || each.footprints)) this.pictures = new PicturesView(view, this, file);
    const modes = make("div", "modes");
    modes.setAttribute("role", "group");
    modes.setAttribute("aria-label", "what is shown");
    const offered = [[true, "Kernels"], ...(this.pictures ? [["pictures", "Pictures"]] : []), [false, "File"]];
    this.modes = new Map(offered.map(([opened, text]) =>
      [opened, view.button("switch", text, () => { this.open(opened); if (!opened) view.show(view.tab); })]));
    modes.append(...this.modes.values());
    view.header.prepend(modes);
  }

  load(data) {
    this.records = data.file.kernels;
    this.data = data;
    this.targets = this.records.length / data.file.functions.length;
    this.open(true);
    this.choose(0);
  }

  /** Select an op to begin with, if none of this kernel is selected: one with pictures, else of the line that costs most. */
  propose() {
    const { selected } = this.view, { pictures } = this.records[this.chosen], { ops } = this.data;
    if (selected && selected.op >= 0 && ops.function[selected.op] === this.number) return;
    const [first] = pictures ? worthSeeing(pictures) : [], dearest = this.view.panes["kernel-text"].costs?.dearest()[0];
    this.proposed = first ?? (dearest ? this.data.opOfLine[dearest.index] : ops.function.indexOf(this.number));
    if (this.proposed >= 0) this.view.select(this.data.targetOfOp(this.proposed), this, false);
  }

  /** The number of the kernel that is shown, in the file. */
  get number() {
    return Math.floor(this.chosen / this.targets);
  }

  /** The panes of what is opened. */
  get shown() {
    return this.opened === "pictures" ? this.pictures.panes : this.panes;
  }

  /** Show the kernels (true), their "pictures", or what else is known of the file (false). */
  open(opened) {
    this.opened = opened;
    this.root.classList.toggle("of-kernels", !!opened);
    this.main.hidden = opened !== true;
    if (this.pictures) this.pictures.main.hidden = opened !== "pictures";
    for (const other of this.others) other.hidden = opened;
    for (const [mode, button] of this.modes) button.setAttribute("aria-pressed", opened === mode);
    this.remark();
    this.pictures?.select(this.view.selected);
  }

  remark() {
    for (const pane of this.view.shown) {
      pane.list.show();
      pane.list.remark();
      if (this.view.selected) pane.reveal(this.view.selected);
    }
  }

  /** Return the lines of the listings in sight that have a text: { pane, line, target }, null for lines of no op. */
  linesWith(asked) {
    return this.panes.toReversed().filter((pane) => pane.lines && pane.list.element.clientHeight).flatMap((pane) =>
      [...pane.lines.keys()].filter((line) => pane.lines[line].toLowerCase().includes(asked))
        .map((line) => ({ pane, line, target: pane.targetOf(line) })));
  }

  /** Show another kernel, or the same for another GPU. */
  choose(index) {
    const anew = index !== this.chosen;
    this.chosen = index;
    const record = this.records[index];
    this.stages?.fill(record.stages);
    this.ptx?.fill(record.ptx);
    this.code?.show(record);
    const costs = this.code?.costs ?? null;
    for (const name of PRICED) this.view.panes[name]?.price(costs);
    this.about.replaceChildren(...this.chooser(), ...this.said(record));
    if (anew) this.about.scrollTop = 0;
    this.pictures?.fill(record);
    this.propose();
  }

  /** Show the kernel that a target is in. */
  follow(target) {
    const number = target.op >= 0 ? this.data.ops.function[target.op] : -1;
    if (number >= 0 && number !== this.number) this.choose(number * this.targets + this.chosen % this.targets);
    if (target.op !== this.proposed) this.proposed = -1;
    this.pictures?.select(target, target.op !== this.proposed);
  }

  chooser() {
    if (this.records.length < 2) return [];
    if (this.records.length > MOST_BUTTONS) return [this.list()];
    const group = make("div", "choices");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "kernels");
    this.records.forEach((each, index) => {
      const button = this.view.button("switch", each.kernel + " on " + each.target, () => this.choose(index));
      button.setAttribute("aria-pressed", index === this.chosen);
      group.append(button);
    });
    return [group];
  }

  /** Return a list of all kernels to choose from. */
  list() {
    const list = make("select", "stage kernel");
    list.setAttribute("aria-label", "kernel");
    this.records.forEach((each, index) => {
      const option = make("option", "", each.kernel + " on " + each.target);
      option.value = index;
      list.append(option);
    });
    list.value = this.chosen;
    list.addEventListener("change", () => {
      const around = list.parentElement;
      this.choose(Number(list.value));
      around.querySelector(".kernel").focus();  // what was chosen from is drawn anew
    });
    return list;
  }

  said(record) {
    const parts = [make("h2", "", make("span", "mono", record.kernel), " on " + record.target)];
    const [first, ...others] = record.verdict;
    if (first) parts.push(make("p", "first", first));
    parts.push(...(record.findings ?? []).map((each) => this.finding(each)));
    parts.push(...others.map((text) => make("p", "", ...this.linked(text))));
    for (const text of record.missing) parts.push(make("p", "missing", "Not known: " + text));
    const priced = this.view.panes[PRICED.find((name) => this.view.panes[name])];
    if (this.code?.costs) parts.push(...dearestLines(this.view, priced, this.code.costs));
    const columns = this.records.filter((each, index) =>
      Math.floor(index / this.targets) === this.number).flatMap((each) =>
      each.tileiras?.resources ? [each, { ...each.tileiras, target: "by tileiras" }] : [each]);
    if (columns.some((each) => each.resources)) parts.push(make("h3", "", "Resources"), this.resources(columns));
    if (record.contract) parts.push(make("h3", "", "Launch"), ...this.contract(record.contract));
    return parts;
  }

  /** Return a sentence, in which an offset that it begins with is a button. */
  linked(text) {
    const [, offset, rest] = /^(0x[0-9a-f]+)(: .*)$/s.exec(text) ?? [], at = Number(offset);
    if (!(at < this.data.bytes.length)) return [text];
    const target = this.data.targetOfByte(at);
    const go = this.view.button("go mono", offset, () => this.view.jump(target.op >= 0 ? this.data.targetOfOp(target.op) : target, null));
    return [go, rest];
  }

  finding(found) {
    const [first, ...others] = this.places(found.ops), more = others.length - MOST_PLACES;
    const [before, after] = found.shown;
    return make("article", "finding sure-" + (SURE.has(found.sure) ? found.sure : "other"),
      make("p", "finding-title", make("span", "sure", found.sure), " " + found.title),
      ...(first ? [make("p", "links", first), make("p", "mono finding-code", writtenAt(this.data, found.ops[0]).code)] : []),
      make("p", "", make("b", "", "Fix: "), found.fix),
      make("p", "", make("b", "", "Gain: "), found.figure + ", now: " + before + "; with the fix: " + after),
      make("p", "why", "Why: " + found.why),
      ...(others.length ? [make("p", "links", "Also at", ...others.slice(0, MOST_PLACES), more > 0 ? plural(more, "more place") : "")] : []),
      make("p", "rule", found.rule));
  }

  /** Return buttons that lead to ops, one for all that are written at the same place. */
  places(ops) {
    const { data, view } = this, found = new Map();
    for (const op of ops) {
      const { place } = writtenAt(data, op);
      if (!found.has(place)) found.set(place, []);
      found.get(place).push(op);
    }
    return [...found].map(([place, those]) => {
      const names = [...new Set(those.map((op) => data.text(data.ops.name, op)))].join(", ");
      const which = those.length > 1 ? plural(those.length, "op") : "op " + those[0];
      const target = { ...data.targetOfOp(those[0]), ...(those.length > 1 ? { ops: new Set(those) } : {}) };
      const button = view.button("go", "", () => view.jump(target, null));
      button.append(make("span", "mono", place), make("span", "kind", names + ", " + which));
      return button;
    });
  }

  resources(columns) {
    const titles = [...new Set(columns.flatMap(({ table }) => table.map(([title]) => title)))];
    const table = make("table", "figures");
    table.append(make("tr", "", make("td", ""), ...columns.map(({ target }) => headed(target, "col"))));
    for (const title of titles) {
      const cells = columns.map(({ table: rows, resources }) =>
        rows.find(([name]) => name === title)?.[1] ?? (resources ? "0" : "?"));
      table.append(make("tr", title.startsWith(" ") ? "part-of" : "", headed(title.trim(), "row"), ...cells.map((cell) => make("td", "", cell))));
    }
    return table;
  }

  contract(contract) {
    const facts = make("dl", "facts");
    const add = (word, text) => facts.append(make("dt", "", word), make("dd", "", text));
    const { block, cluster, grid_limits: limits, runs_on: runs } = contract;
    add("block", block.join(" \u00d7 ") + " threads");
    if (cluster.some((size) => size !== 1)) add("cluster", cluster.join(" \u00d7 ") + " blocks");
    add("shared", plural(contract.dynamic_shared_memory, "byte") + " of dynamic shared memory");
    add("grid", "at most " + limits.map((limit) => limit.toLocaleString("en")).join(" \u00d7 ") + " blocks");
    add("runs on", "compute capability " + runs.capability.join(".") + (runs.later ? " and later" : " alone"));
    const table = make("table", "parameters", make("tr", "", ...["", "type", "what it is"].map((word) => headed(word, "col"))));
    contract.parameters.forEach(({ type, meaning, written }, index) => {
      const cells = [make("td", "mono", type), make("td", "", meaning + (written ? "; written" : ""))];
      table.append(make("tr", "", headed(String(index), "row"), ...cells));
    });
    return [facts, table];
  }
}

const MOST_BUTTONS = 4;  // of more kernels there is a list

const PRICED = ["kernel-source", "kernel-text"];  // panes with the cost of lines; the first has the list

const SURE = new Set(["certain", "likely", "maybe"]);

/** Make a heading of a row or a column of a table; what has no text is no heading. */
function headed(text, scope) {
  const cell = make(text ? "th" : "td", "", text);
  if (text) cell.scope = scope;
  return cell;
}
