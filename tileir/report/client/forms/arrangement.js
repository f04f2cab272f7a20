// How the panes of a kernel are arranged: which ones are shown, in two columns, and how large.

const MOST_AT_FIRST = 4;
const LEAST_SHARE = 15;  // per cent of the room, for either side of a bar

class Arrangement {
  /** `main` is the grid, with `about` and the panes in it: [{ name, title, element, later }]. */
  constructor(view, main, panes, changed) {
    this.main = main;
    this.panes = panes;
    this.changed = changed;
    const spare = panes.filter((pane) => pane.later).slice(0, Math.max(0, panes.length - MOST_AT_FIRST));
    this.shown = new Set(panes.filter((pane) => !spare.includes(pane)));
    this.choices = make("div", "shown");
    this.choices.setAttribute("role", "group");
    this.choices.setAttribute("aria-label", "panes");
    this.buttons = panes.map((pane) => view.button("switch small", pane.title, () => this.toggle(pane)));
    this.choices.append(make("span", "said", "Panes"), ...this.buttons);
    this.shares = {};
    this.bars = {
      about: this.bar("about", "vertical", "width of what is known of the kernel", 29),
      columns: this.bar("columns", "vertical", "width of the left panes", 50),
      first: this.bar("first", "horizontal", "height of the first row of panes", 40),
      second: this.bar("second", "horizontal", "height of the second row of panes", 50),
    };
    main.append(this.choices, ...Object.values(this.bars));
    this.place();
  }

  toggle(pane) {
    if (!this.shown.delete(pane)) this.shown.add(pane);
    if (!this.shown.size) this.shown.add(pane);
    this.place();
    this.changed();
  }

  /** Show a pane, if it is not. */
  open(name) {
    const pane = this.panes.find((each) => each.name === name);
    if (pane && !this.shown.has(pane)) this.toggle(pane);
  }

  /** Put the panes that are shown into the cells of the grid, in rows of two; the first of an odd number is alone. */
  place() {
    const shown = this.panes.filter((pane) => this.shown.has(pane));
    const alone = shown.length % 2, rows = Math.ceil(shown.length / 2);
    this.panes.forEach((pane, index) => {
      pane.element.hidden = !this.shown.has(pane);
      this.buttons[index].setAttribute("aria-pressed", this.shown.has(pane));
    });
    shown.forEach(({ element }, index) => {
      const cell = index + alone, row = 2 + 2 * Math.floor(cell / 2);
      const columns = alone && !index ? "3 / 6" : cell % 2 ? "5 / 6" : "3 / 4";
      element.style.setProperty("--at", row + " / " + columns.replace(" / ", " / " + (row + 1) + " / "));
    });
    this.main.dataset.rows = rows;
    this.bars.columns.hidden = shown.length < 2;
    this.bars.columns.style.setProperty("--from", alone ? 4 : 2);
    this.bars.first.hidden = rows < 2;
    this.bars.second.hidden = rows < 3;
    this.size();
  }

  /** Say how large columns and rows are. */
  size() {
    const { about, columns, first, second } = this.shares, { style } = this.main, below = 100 - first;
    const rows = this.main.dataset.rows > 2 ? [first, below * second / 100, below * (100 - second) / 100] : [first, below];
    style.setProperty("--about", about + "%");
    style.setProperty("--left", columns + "fr");
    style.setProperty("--right", 100 - columns + "fr");
    rows.forEach((share, row) => style.setProperty("--row" + row, share + "fr"));
  }

  /** Make a bar between panes, which is dragged, or moved by arrows. */
  bar(name, orientation, label, share) {
    const bar = make("div", "divider " + name);
    bar.setAttribute("role", "separator");
    bar.setAttribute("aria-orientation", orientation);
    bar.setAttribute("aria-label", label);
    bar.setAttribute("aria-valuemin", LEAST_SHARE);
    bar.setAttribute("aria-valuemax", 100 - LEAST_SHARE);
    bar.tabIndex = 0;
    const upright = orientation === "vertical";
    const set = (value) => {
      const share = Math.min(Math.max(Math.round(value), LEAST_SHARE), 100 - LEAST_SHARE);
      bar.setAttribute("aria-valuenow", share);
      this.shares[name] = share;
      this.size();
    };
    this.shares[name] = share;
    bar.setAttribute("aria-valuenow", share);
    bar.addEventListener("pointerdown", (event) => { bar.setPointerCapture(event.pointerId); event.preventDefault(); bar.focus(); });
    bar.addEventListener("pointermove", (event) => {
      if (!bar.hasPointerCapture(event.pointerId)) return;
      const [start, end] = this.range(name, upright);
      set(100 * ((upright ? event.clientX : event.clientY) - start) / Math.max(1, end - start));
    });
    bar.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -2, ArrowUp: -2, ArrowRight: 2, ArrowDown: 2, Home: -100, End: 100 }[event.key];
      if (step === undefined) return;
      set(this.shares[name] + step);
      event.preventDefault();
    });
    return bar;
  }

  /** Return where what a bar divides starts and ends, in pixels of the window. */
  range(name, upright) {
    const box = this.main.getBoundingClientRect();
    if (name === "about") return [box.left, box.right];
    if (upright) return [this.bars.about.getBoundingClientRect().right, box.right];
    const top = name === "first" ? this.choices.getBoundingClientRect().bottom : this.bars.first.getBoundingClientRect().bottom;
    return [top, box.bottom];
  }
}
