// The pane of a kernel after each stage of its compilation, with a chooser of stages.

const OF_LEGEND = /^\/\//;

class StagesPane extends ListingPane {
  /** `pane` has the element, the head and the body. */
  constructor(view, { element, head, body }, name) {
    super(view, body, name);
    this.chooser = make("select", "stage");
    this.chooser.setAttribute("aria-label", "stage");
    this.chooser.addEventListener("change", () => this.choose(Number(this.chooser.value)));
    this.before = view.button("small", "\u2039", () => this.step(-1));
    this.before.setAttribute("aria-label", "stage before that changed something");
    this.after = view.button("small", "\u203a", () => this.step(1));
    this.after.setAttribute("aria-label", "next stage that changed something");
    this.how = view.button("small switch", "how to read", () => { this.legend = !this.legend; this.draw_(); });
    head.append(make("span", "actions", this.before, this.chooser, this.after, this.how));
    this.note = make("p", "note");
    body.before(this.note);
    this.legend = false;
    this.fill(null);
  }

  /** Show the stages of a kernel, {texts, steps}; null for none. */
  fill(stages) {
    if (!this.chooser) return;  // while the pane is made
    this.stages = stages;
    this.chooser.replaceChildren();
    if (stages) {
      for (const dialect of new Set(stages.steps.map((step) => step.dialect))) {
        const group = make("optgroup", "");
        group.label = visible("after, in " + dialect);
        stages.steps.forEach((step, index) => {
          if (step.dialect !== dialect) return;
          const said = step.same ? " (nothing changed)" : step.lines ? "" : " (left out)";
          const option = make("option", "", step.name + said);
          option.value = index;
          option.disabled = !step.lines;
          group.append(option);
        });
        this.chooser.append(group);
      }
    }
    const chosen = stages ? stages.steps.findLastIndex((step) => step.lines) : -1;
    this.choose(chosen);
  }

  /** Show the kernel after another stage. */
  choose(index) {
    this.chosen = index;
    if (index >= 0) this.chooser.value = index;
    this.before.disabled = this.next(-1) < 0;
    this.after.disabled = this.next(1) < 0;
    this.draw_();
  }

  /** Return the next stage, or the one before, that has a text; -1 if there is none. */
  next(by) {
    const { steps } = this.stages ?? { steps: [] };
    for (let at = this.chosen + by; at >= 0 && at < steps.length; at += by) if (steps[at].lines) return at;
    return -1;
  }

  step(by) {
    const at = this.next(by);
    if (at >= 0) this.choose(at);
  }

  draw_() {
    const { texts, steps } = this.stages ?? { texts: [], steps: [] };
    const step = steps[this.chosen];
    this.how.setAttribute("aria-pressed", this.legend);
    if (!step) {
      this.note.textContent = "";
      super.fill(null);
      return;
    }
    const known = new Set(steps[this.next(-1)]?.lines ?? step.lines);
    const all = step.lines.map((at) => texts[at]);
    const skipped = this.legend ? 0 : Math.max(0, all.findIndex((line) => !OF_LEGEND.test(line)));
    this.fresh = step.lines.map((at) => !known.has(at)).slice(skipped);
    const count = this.fresh.filter(Boolean).length;
    const left = steps.filter((each) => !each.lines && !each.same).length;
    this.note.replaceChildren(visible([
      step.headline.charAt(0).toUpperCase() + step.headline.slice(1),
      count ? plural(count, "new line") + ", marked +" : "",
      left ? plural(left, "stage") + " left out for size; tileir compile --stop-after prints them" : "",
    ].filter(Boolean).join(". ") + "."));
    this.note.title = this.note.textContent;
    super.fill({ lines: all.slice(skipped), ops: step.ops.slice(skipped) });
    if (this.view.selected) this.reveal(this.view.selected);
  }

  write(row, index) {
    super.write(row, index);
    const fresh = make("span", "fresh", this.fresh[index] ? "+" : " ");
    row.querySelector(".number").after(fresh);
  }
}
