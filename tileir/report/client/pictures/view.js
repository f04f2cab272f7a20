// The view of pictures: Tile IR on the left, on the right the pipeline of the kernel and the tiles of an op.

class PicturesView {
  constructor(view, kernels, before) {
    this.view = view;
    this.kernels = kernels;
    const main = this.main = make(view.anchors ? "main" : "div", "pictures");
    main.hidden = true;
    const { element, body } = view.pane("pictures-text", "Tile IR", "listbox");
    this.pane = view.panes["pictures-text"] = new LinesPane(view, body, "pictures-line");
    this.side = make("section", "drawings");
    this.side.setAttribute("aria-label", "pictures of the kernel");
    this.side.tabIndex = 0;
    this.ofKernel = make("div", "of-kernel");
    this.ofOp = make("section", "of-op-pictures");
    this.side.append(this.ofKernel, this.ofOp);
    main.append(element, this.side);
    before.before(main);
    this.boxes = [];
  }

  get panes() {
    return [this.pane];
  }

  /** Select the first of the ops that something drawn is of; what is drawn stays where it is. */
  choose(ops) {
    if (!ops.length) return;
    const top = this.side.scrollTop;
    this.view.select(this.kernels.data.targetOfOp(ops[0]), this);
    this.side.scrollTop = top;
  }

  /** Show another kernel: a record of the model. */
  fill(record) {
    this.record = record;
    this.drawnOp = null;
    const parts = [make("h2", "", make("span", "mono", record.kernel), " on " + record.target), ...this.kernels.chooser()];
    this.boxes = [];
    this.onward = this.view.button("go onward", "", () => { this.side.scrollTop += this.ofOp.getBoundingClientRect().top - this.side.getBoundingClientRect().top - 4; });
    parts.push(make("p", "links", this.onward));
    if (!record.pictures) {
      parts.push(make("p", "", "There are no pictures: the kernel is not compiled for " + record.target + "."));
    } else parts.push(...this.pipelines(record.pictures));
    if (record.footprints) parts.push(...footprintPictures(record.footprints));
    this.ofKernel.replaceChildren(...parts);
    this.side.scrollTop = 0;
    this.select(this.view.selected);
  }

  pipelines({ loops, memory }) {
    const parts = [make("h3", "", loops.length > 1 ? "Pipelines of " + loops.length + " loops" : "Pipeline of the main loop")], { ops } = this.kernels.data;
    if (!loops.length) return [...parts, make("p", "picture-words", "No loop of this kernel works ahead: nothing is copied for later iterations, and all warps have one role.")];
    for (const loop of loops) {
      const chart = pipelinePicture(loop, memory, (ops) => this.choose(ops));
      this.boxes.push(chart.boxes);
      const words = make("details", "in-words", make("summary", "", "The steps of an iteration, in words"), ...stepsInWords(this.view, loop, (ops) => this.choose(ops)));
      if (loops.length > 1) parts.push(make("h4", "", "The loop of op " + loop.op + (ops.line[loop.op] >= 0 ? ", line " + (ops.line[loop.op] + 1) : "")));
      parts.push(chart, make("p", "picture-words", "A number is that of an iteration, which has its colour. In the rows of slots, pale is filled by copies, full is there to be read."
        + (loop.roles.some((role) => role.steps.some((step) => step.slots.some(({ turn }) => turn < 0))) ? " What is of an iteration before the first one is left out." : "")), words);
    }
    return parts;
  }

  /** Show the pictures of the op that is selected, and scroll there if they are to be in sight. */
  select(target, inSight = false) {
    this.remark();
    const op = target ? target.op : -1;
    if (this.main.hidden || !this.record || op === this.drawnOp) return;
    this.drawnOp = op;
    this.ofOp.replaceChildren(...this.drawings(op));
    this.onward.hidden = op < 0;
    this.onward.replaceChildren("Tiles of op " + op + ", ", make("span", "mono", op < 0 ? "" : this.kernels.data.text(this.kernels.data.ops.name, op)), " \u2193");
    const { top } = this.ofOp.getBoundingClientRect(), around = this.side.getBoundingClientRect();
    const seen = top >= around.top && top < around.top + around.height / 2;
    if (inSight && !seen) this.side.scrollTop += top - around.top - 4;
  }

  drawings(op) {
    const { pictures } = this.record, data = this.kernels.data;
    if (!pictures) return [];
    const mine = (rows) => rows.filter((each) => each.op === op);
    const [tiles, accesses, products] = [pictures.tiles, pictures.accesses, pictures.products].map(mine);
    if (!tiles.length && !accesses.length) {
      const links = worthSeeing(pictures).slice(0, 6).map((each) => this.view.button("go", "op " + each + ", " + data.text(data.ops.name, each), () => this.choose([each])));
      const said = op < 0 ? "Select an op on the left for the layouts of its tiles, such as" : "The compiler keeps no tile for op " + op + ". Ops that have some:";
      return [make("h3", "", "Tiles of an op"), make("p", "links", said, ...links)];
    }
    const choose = () => this.choose([op]);
    const parts = [make("h3", "", "Tiles of op " + op + ", ", make("span", "mono", data.text(data.ops.name, op)))];
    if (op === this.kernels.proposed) {
      const why = products.length ? "the product with the most work" : "the first op with a tile";
      parts.push(make("p", "picture-words", "Shown because no op of this kernel was selected: " + why + ". Select another op on the left."));
    }
    for (const each of products) {
      parts.push(make("h3", "", "Fragments of the instruction"), ...productPictures(each, pictures.layouts, choose));
    }
    const layouts = new Map();
    for (const each of tiles) {
      if (!layouts.has(each.layout)) layouts.set(each.layout, []);
      layouts.get(each.layout).push(each);
    }
    for (const [index, those] of layouts) {
      const row = pictures.layouts[index];
      const uses = [...new Set(those.map((each) => each.what + " of " + each.in + " (" + each.element + ")"))].join(", ");
      const title = "In registers: " + row.shape.join(" \u00d7 ");
      parts.push(make("h4", "", title, make("span", "kind", "  " + uses + (those[0].in_role ? ", in role " + those[0].in_role : ""))), layoutPicture(row, title, choose));
    }
    const orders = new Map();
    for (const each of accesses) {
      if (!orders.has(each.memory)) orders.set(each.memory, []);
      orders.get(each.memory).push(each);
    }
    for (const [index, those] of orders) {
      const row = pictures.memory[index], title = "In shared memory: " + row.shape.join(" \u00d7 ") + " of " + row.element;
      const uses = those.map((each) => (each.writes ? "written" : "read") + " by " + each.in + ", by " + each.by).join("; ");
      parts.push(make("h4", "", title, make("span", "kind", "  " + uses)), memoryPicture(row, title, choose));
      for (const access of those) {
        if (access.turns !== null) parts.push(accessPicture(access, "banks of " + access.in, choose));
      }
    }
    return parts;
  }

  /** Return the pictures of all kernels on paper: pipelines, and those of the op that is selected. */
  onPaper() {
    const parts = [];
    for (const { kernel, target, pictures, footprints } of this.kernels.records) {
      for (const loop of pictures?.loops ?? []) {
        parts.push(make("h2", "", "Pipeline of kernel " + kernel + " on " + target), pipelinePicture(loop, pictures.memory, () => {}));
        parts.push(...stepsInWords(this.view, loop, () => {}));
      }
      if (footprints) parts.push(...footprintPictures(footprints));
    }
    if (this.record.pictures && this.view.selected) parts.push(...this.drawings(this.view.selected.op));
    return parts;
  }

  /** Light up the steps of what is selected or pointed at. */
  remark() {
    const { selected, hovered } = this.view;
    for (const boxes of this.boxes) {
      for (const list of boxes.values()) for (const box of list) box.classList.remove("selected", "hot");
      for (const [target, name] of [[selected, "selected"], [hovered, "hot"]]) {
        for (const box of boxes.get(target?.op) ?? []) box.classList.add(name);
      }
    }
  }
}

/** Return the ops that have pictures: products first, those of loops and with more work before others. */
function worthSeeing({ products, accesses, tiles, loops }) {
  const looped = new Set(loops.flatMap((loop) => loop.roles.flatMap((role) => role.steps.flatMap((step) => step.ops))));
  const work = ({ op, tile }) => [looped.has(op) ? 1 : 0, sizeOf(tile)];
  const sorted = [...products].sort((one, other) => work(other)[0] - work(one)[0] || work(other)[1] - work(one)[1]);
  return [...new Set([...sorted, ...accesses, ...tiles].map((each) => each.op))];
}
