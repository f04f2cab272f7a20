// The view: a file in three panes, and what is selected in all of them.

let views = 0;

class View {
  /** `anchors` says whether the address follows the selection. */
  constructor(model, root, anchors) {
    this.name = "r" + ++views;
    this.model = model;
    this.root = root;
    this.anchors = anchors;
    this.selected = this.hovered = null;
    this.files = model.files.map((file) => new FileData(file));
    this.data = this.files[0];
    this.build();
    this.open(0);
    this.listen();
  }

  build() {
    const root = this.root;
    root.classList.add("report");
    root.replaceChildren();
    this.header = make("header", "head");
    this.title = make("div", "title");
    this.input = make("input", "search");
    this.input.type = "search";
    this.input.placeholder = "search, or 0x1f3";
    this.input.setAttribute("aria-label", "search in lines, fields and tables");
    this.input.spellcheck = false;
    const count = make("span", "count");
    count.setAttribute("role", "status");
    const theme = this.button("theme", "Dark", () => this.turn());
    const help = this.button("help", "Keys", () => this.dialog.showModal());
    this.header.append(this.title, make("div", "tools", count, this.input, theme, help));
    this.theme = theme;
    const strip = make("section", "strip");
    strip.setAttribute("aria-label", "what covers the file");
    const main = this.main = make(this.anchors ? "main" : "div", "panes");  // a page around has its own
    const hex = this.pane("hex", "Bytes", "grid");
    const tree = this.pane("tree", "Fields", "tree");
    const fold = this.button("small", "fold", () => this.tree.foldAll(true));
    const unfold = this.button("small", "unfold", () => this.tree.foldAll(false));
    tree.head.append(make("span", "actions", fold, unfold));
    this.right = make("section", "pane right");
    this.tabs = make("div", "tabs");
    this.tabs.setAttribute("role", "tablist");
    this.tabs.setAttribute("aria-label", "views of the module");
    this.steps = make("span", "actions");
    this.right.append(make("div", "tabs-head", this.tabs, this.steps));
    main.append(hex.element, tree.element, this.right);
    const details = make("section", "details");
    details.setAttribute("aria-label", "details");
    this.dialog = helpDialog();
    this.paper = make("div", "paper");
    root.append(this.header, strip, main, details, this.dialog, this.paper);
    this.panes = {};
    this.hex = this.panes.hex = new HexPane(this, hex.body);
    this.tree = this.panes.tree = new TreePane(this, tree.body);
    if (this.model.diff) this.panes.diff = new DiffPane(this, this.tabbed("diff"), this.steps);
    if (this.files.some(({ file }) => file.sources.length)) {
      this.panes.source = new SourcePane(this, this.tabbed("source"));
    }
    for (const name of ["text", ...Object.keys(HEADS)]) {
      const body = this.tabbed(name);
      this.panes[name] = name === "text" ? new LinesPane(this, body) : new TablePane(this, body, name);
    }
    this.strip = new Strip(this, strip);
    this.details = new Details(this, details);
    this.search = new Search(this, this.input, count);
    if (this.files[0].file.kernels.length) this.kernels = new KernelsView(this, root, main);
    this.hex.list.element.addEventListener("scroll", () => this.strip.show(), { passive: true });
  }

  button(name, text, act) {
    const button = make("button", name, text);
    button.type = "button";
    button.addEventListener("click", act);
    return button;
  }

  pane(name, title, role) {
    const element = make("section", "pane " + name);
    const head = make("h2", "pane-head", title), body = make("div", "body");
    body.setAttribute("role", role);
    body.setAttribute("aria-label", title);
    body.tabIndex = 0;
    body.dataset.pane = name;
    element.append(head, body);
    return { element, head, body };
  }

  tabbed(name) {
    const tab = this.button("tab", "", () => this.show(name));
    tab.setAttribute("role", "tab");
    tab.id = this.name + "-tab-" + name;
    tab.dataset.tab = name;
    this.tabs.append(tab);
    const body = make("div", "body");
    body.setAttribute("role", "listbox");
    body.setAttribute("aria-labelledby", tab.id);
    body.tabIndex = 0;
    body.dataset.pane = name;
    body.hidden = true;
    body.id = this.name + "-panel-" + name;
    tab.setAttribute("aria-controls", body.id);
    this.right.append(body);
    return body;
  }

  /** Show a file of the model in the panes. */
  open(number) {
    this.number = number;
    this.data = this.files[number];
    this.selected = this.hovered = null;
    this.search.clear();
    for (const pane of Object.values(this.panes)) pane.load(this.data);
    this.strip.load(this.data);
    this.describe();
    this.nameTabs();
    const problem = this.data.file.problems.find((each) => each.severity === "error");
    const first = this.model.diff ? "diff" : problem ? "problems" : "text";
    this.show(this.tab && this.tab !== "problems" ? this.tab : first);
    this.details.show(null);
    if (this.kernels) this.kernels.load(this.data);
    const known = problem && problem.offset !== null && problem.offset < this.data.bytes.length;
    if (known && !this.model.diff) this.select(this.data.targetOfField(this.data.fieldAt(problem.offset)), null, false);
  }

  /** Say in each tab what it has, and how many rows of it a search leaves. */
  nameTabs() {
    const { form } = this.data.file.text;
    for (const tab of this.tabs.children) {
      const name = tab.dataset.tab, pane = this.panes[name];
      const all = HEADS[name] ? pane.rows.length : 0, left = HEADS[name] ? pane.count : 0;
      const title = name === "text" ? (form === "text" ? "Text" : "Outline") : HEADS[name] ?? { source: "Source", diff: "Differences" }[name];
      const count = (left < all ? left.toLocaleString("en") + " of " : "") + all.toLocaleString("en");
      tab.replaceChildren(title, all ? make("span", "number", " " + count) : "");
      tab.disabled = !!HEADS[name] && !all || name === "source" && !pane.count;
    }
    this.fitTabs();
  }

  /** Leave the numbers out of the tabs where there is no room for them. */
  fitTabs() {
    const { classList } = this.tabs;
    classList.remove("tight");
    classList.toggle("tight", this.tabs.scrollWidth > this.tabs.clientWidth);
  }

  describe() {
    const file = this.data.file;
    const name = make("h1", "file", file.name || "bytecode");
    const facts = [
      file.version ? "Tile IR " + file.version : "not readable to its end",
      plural(file.size, "byte"),
      plural(file.functions.length, "function"), plural(file.ops.node.length, "op"),
      file.producer ? "by " + file.producer : "",
    ].filter(Boolean);
    const counts = { error: 0, warning: 0 };
    for (const problem of file.problems) counts[problem.severity]++;
    if (file.whole && !counts.error) facts.push("valid");
    const badges = ["error", "warning"].filter((kind) => counts[kind]).map((kind) =>
      this.button("badge " + kind, plural(counts[kind], kind), () => this.showFile("problems")));
    const switches = this.files.length < 2 ? [] : this.files.map((each, number) => {
      const button = this.button("switch", "AB"[number] + "  " + each.file.name, () => this.open(number));
      button.setAttribute("aria-pressed", number === this.number);
      return button;
    });
    if (this.model.diff) facts.push(this.model.diff.equal ? "the two are equal" : "the two differ");
    const digest = make("span", "digest", "sha256 " + file.sha256.slice(0, 16) + "...");
    digest.title = file.sha256;
    this.title.replaceChildren(...(switches.length ? switches : [name]), make("span", "said", facts.join("  \u00b7  ")), digest, ...badges);
    if (switches.length) this.title.prepend(make("h1", "unseen", file.name || "bytecode"));
  }

  /** Show bytes, fields and a tab beside them, if what is shown are the kernels. */
  showFile(name) {
    if (this.kernels) this.kernels.open(false);
    this.show(name);
  }

  /** Show a line of source that an op comes from, or was inlined by. */
  showRow(op, row) {
    if (this.kernels?.opened) {
      if (this.kernels.opened !== true) this.kernels.open(true);
      this.kernels.arrangement.open("kernel-source");
    } else this.show("source");
    this.jump({ ...this.data.targetOfOp(op), row }, null);
  }

  show(name) {
    this.tab = name;
    for (const tab of this.tabs.children) {
      const chosen = tab.dataset.tab === name;
      tab.setAttribute("aria-selected", chosen);
      tab.tabIndex = chosen ? 0 : -1;
      if (chosen) this.showTab(tab);
      this.panes[tab.dataset.tab].list.element.hidden = !chosen;
    }
    this.main.classList.toggle("comparing", name === "diff");
    this.steps.hidden = name !== "diff";
    for (const pane of [this.hex, this.tree]) pane.list.later();
    this.panes[name].list.show();
    this.panes[name].list.remark();
    if (this.selected) this.panes[name].reveal(this.selected);
    else this.panes[name].begin?.();
  }

  /** Scroll a tab into sight, and nothing but the tabs. */
  showTab(tab) {
    const room = this.tabs.getBoundingClientRect(), box = tab.getBoundingClientRect();
    this.tabs.scrollLeft += Math.min(0, box.left - room.left) + Math.max(0, box.right - room.right);
  }

  get shown() {
    if (this.kernels?.opened) return this.kernels.shown;
    return [this.hex, this.tree, this.panes[this.tab]];
  }

  /** Light up a target in all panes, and scroll it into sight in those that are not pointed at. */
  hover(target, from) {
    const known = this.hovered;
    if (target === known || (target && known && target.start === known.start && target.end === known.end
      && target.node === known.node && target.ops === known.ops && target.row === known.row)) return;
    this.hovered = target;
    for (const pane of this.shown) {
      if (target && pane !== from) pane.reveal(target);
      pane.list.remark();
    }
    this.kernels?.pictures?.remark();
    this.details.show(target ?? this.selected);
  }

  /** Keep a target: all panes show it until another one is selected. The address says so, by this method of the
   * browser's history; false for no address. */
  select(target, from, addressed = "replaceState") {
    this.selected = target;
    this.hovered = null;
    this.tree.open(target);
    if (this.kernels) this.kernels.follow(target);
    for (const pane of this.shown) {
      pane.reveal(target);
      pane.list.remark();
      pane.list.element.setAttribute("aria-activedescendant", pane.active(target));
    }
    this.details.show(target);
    this.strip.show();
    if (this.anchors && addressed) this.keepAddress(target, addressed);
    this.root.dispatchEvent(new CustomEvent("tileir-select", { detail: { file: this.number, ...target } }));
  }

  /** Select what a button leads to; the browser's way back leads to what was selected before. */
  jump(target, from) {
    this.select(target, from, "pushState");
  }

  keepAddress(target, how) {
    const isOp = target.op >= 0 && target.field < 0 && this.data.ops.node[target.op] === target.node;
    const place = isOp ? "op=" + target.op : "byte=" + hexadecimal(target.byte ?? target.start);
    const anchor = "#" + (this.number ? "b." : "") + place;
    if (location.hash !== anchor) history[how](null, "", anchor);
  }

  /** Have nothing selected, as at first. */
  forget() {
    this.selected = this.hovered = null;
    this.details.show(null);
    if (this.kernels) this.kernels.propose();
    for (const pane of this.shown) pane.list.remark();
  }

  /** Select what the address names; does nothing if it names nothing. */
  goTo(hash) {
    const found = /^#(b\.)?(?:op=(\d{1,9})|byte=(0x[0-9a-f]{1,9}|\d{1,10}))$/i.exec(hash);
    if (!found) return false;
    const number = found[1] && this.files.length > 1 ? 1 : 0;
    if (number !== this.number) this.open(number);
    const op = found[2] === undefined ? -1 : Number(found[2]), byte = Number(found[3] ?? -1);
    if (op >= 0 && op < this.data.ops.node.length) this.select(this.data.targetOfOp(op), null);
    else if (byte >= 0 && byte < this.data.bytes.length) {
      if (this.kernels) this.kernels.open(false);
      this.select(this.data.targetOfByte(byte), null);
    } else return false;
    return true;
  }

  turn() {
    const dark = getComputedStyle(this.root).colorScheme === "dark"
      || (!this.root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    this.root.dataset.theme = dark ? "light" : "dark";
    this.nameTheme();
  }

  nameTheme() {
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    this.theme.textContent = (this.root.dataset.theme ?? system) === "dark" ? "Light" : "Dark";
  }

  focusPane() {
    this.shown.at(-1).list.element.focus();
  }

  listen() {
    this.nameTheme();
    this.keys = this.anchors ? document : this.root;  // whoever owns the page hears keys without focus
    this.onKey = (event) => this.key(event);
    this.keys.addEventListener("keydown", this.onKey);
    this.tabs.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const names = [...this.tabs.children].filter((tab) => !tab.disabled);
      const at = names.findIndex((tab) => tab.dataset.tab === this.tab);
      if (step === undefined || at < 0) return;
      event.preventDefault();
      const next = names[(at + step + names.length) % names.length];
      this.show(next.dataset.tab);
      next.focus();
    });
    this.observer = new ResizeObserver(() => this.fitTabs());
    this.observer.observe(this.right);
    this.onPrint = () => printed(this);
    addEventListener("beforeprint", this.onPrint);
    if (!this.anchors) return;
    this.onHash = () => { if (!this.goTo(location.hash) && !location.hash) this.forget(); };
    addEventListener("hashchange", this.onHash);
    this.goTo(location.hash);
  }

  key(event) {
    const typing = event.target === this.input;
    if (event.ctrlKey || event.metaKey || event.altKey || this.dialog.open) return;
    if (!typing && event.key === "/") { event.preventDefault(); this.input.focus(); this.input.select(); return; }
    if (!typing && event.key === "?") { event.preventDefault(); this.dialog.showModal(); return; }
    if (!typing && event.key === "n") { this.search.step(1); return; }
    if (!typing && event.key === "N") { this.search.step(-1); return; }
    if (!typing && (event.key === "[" || event.key === "]") && this.kernels?.opened === true) { this.kernels.stages?.step(event.key === "[" ? -1 : 1); return; }
    if (!typing && event.key === "t") { this.turn(); return; }
    if (!typing && event.key === "c") { this.details.copy(); return; }
    const name = event.target.dataset ? event.target.dataset.pane : undefined;
    if (name && this.panes[name].key(event)) event.preventDefault();
  }

  /** Take the view away again. */
  close() {
    this.observer.disconnect();
    removeEventListener("beforeprint", this.onPrint);
    this.keys.removeEventListener("keydown", this.onKey);
    if (this.onHash) removeEventListener("hashchange", this.onHash);
    for (const pane of Object.values(this.panes)) pane.list.observer.disconnect();
    this.root.replaceChildren();
  }
}

const KEYS = [
  ["Tab", "next pane, tab or button"],
  ["Arrows", "move in the pane: by bytes, fields or lines"],
  ["Page up, Page down, Home, End", "move further"],
  ["Left, Right", "in the fields: close, open, go to what is around"],
  ["Page up, Page down", "in differences: to the one before and the next"],
  ["/", "search in lines and fields, and filter the tables; of a kernel, in all its panes; 0x1f3 goes to a byte"],
  ["Enter, Shift Enter", "next and previous place found; n and N, outside of the search"],
  ["Escape", "leave the search"],
  ["[, ]", "of a kernel: the stage before, the next stage"],
  ["Arrows on a bar", "of a kernel: make the panes beside it wider, narrower, higher or lower"],
  ["c", "copy the bytes of what is selected, in hexadecimal"],
  ["t", "dark or light"],
  ["?", "this list"],
];

function helpDialog() {
  const dialog = make("dialog", "keys"), list = make("dl", "facts");
  for (const [key, text] of KEYS) list.append(make("dt", "mono", key), make("dd", "", text));
  const close = make("button", "", "Close");
  close.type = "button";
  close.addEventListener("click", () => dialog.close());
  dialog.setAttribute("aria-label", "keys");
  const about = "Point at a byte, a field or a line, and the other panes show the same. Click to keep it; "
    + "the address then names it, and can be sent to others. What is selected leads on, below the panes: "
    + "to where its operands come from, and to where its results are used.";
  dialog.append(make("h2", "", "Keys"), make("p", "", about), list, close);
  return dialog;
}
