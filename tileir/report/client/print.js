// What a printed page has: facts, sections, problems and the text, since panes show a part only.

const MOST_PRINTED = 5000;

function printed(view) {
  const { file, lines } = view.data, paper = view.paper;
  paper.replaceChildren();
  const facts = make("dl", "facts");
  for (const [word, value] of [
    ["file", file.name], ["version", file.version ?? "unknown"], ["bytes", file.size.toLocaleString("en")],
    ["sha256", file.sha256], ["producer", file.producer ?? "unknown"], ["made by", view.model.tool],
  ]) facts.append(make("dt", "", word), make("dd", "mono", value));
  paper.append(make("h1", "", file.name || "bytecode"), facts);
  const table = make("table", "", make("caption", "", "Sections"));
  table.append(make("tr", "", ...["section", "from", "to", "bytes"].map((word) => make("th", "", word))));
  for (const { name, start, end } of file.sections) {
    const cells = [name, hexadecimal(start), hexadecimal(end), (end - start).toLocaleString("en")];
    table.append(make("tr", "", ...cells.map((text) => make("td", "mono", text))));
  }
  paper.append(table);
  for (const each of file.kernels) {
    paper.append(make("h2", "", "Kernel " + each.kernel + " on " + each.target));
    for (const said of [...each.verdict, ...each.missing]) paper.append(make("p", "", said));
    paper.append(...(each.findings ?? []).map((found) => view.kernels.finding(found)));
  }
  if (view.kernels?.pictures) paper.append(...view.kernels.pictures.onPaper());
  if (file.problems.length) paper.append(make("h2", "", "Problems"));
  for (const problem of file.problems) {
    const place = problem.offset === null ? "" : hexadecimal(problem.offset) + ": ";
    paper.append(make("p", "", place + problem.severity + ": " + problem.message));
  }
  paper.append(make("h2", "", file.text.form === "text" ? "Text" : "Outline"));
  const text = make("pre", "mono");
  for (const line of lines.slice(0, MOST_PRINTED)) text.append(visible(line) + "\n");
  paper.append(text);
  if (lines.length > MOST_PRINTED) {
    paper.append(make("p", "", plural(lines.length - MOST_PRINTED, "more line") + " are not printed."));
  }
}
