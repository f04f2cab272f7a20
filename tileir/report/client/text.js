// Elements and texts. Whatever comes from a file goes through `visible`, and into textContent.

const HIDDEN = new RegExp(
  // controls, soft hyphen, marks and overrides of direction, spaces of no width, lone surrogates,
  // blanks that are not U+0020, private use, specials and tags
  "[\\u0000-\\u001f\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5" +
  "\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\u3164\\ue000-\\uf8ff" +
  "\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\uffff\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{10ffff}]|" +
  "\\p{Cs}|\\p{Cn}|\\p{Cf}", "gu");

const LONGEST_SHOWN = 4000;

/** Return a text with what cannot be seen, or moves other characters, as escapes. */
function visible(text) {
  const short = text.length > LONGEST_SHOWN
    ? text.slice(0, LONGEST_SHOWN / 2) + " ... " + text.slice(-LONGEST_SHOWN / 2) : text;
  return short.replace(HIDDEN, (one) => {
    const code = one.codePointAt(0);
    if (code < 0x100) return "\\x" + code.toString(16).padStart(2, "0");
    return code < 0x10000 ? "\\u" + code.toString(16).padStart(4, "0") : "\\u{" + code.toString(16) + "}";
  });
}

/** Make an element of a class, with a text or with children. */
function make(tag, name, ...inside) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  for (const each of inside) {
    if (each === null || each === undefined || each === "") continue;
    element.append(typeof each === "string" ? visible(each) : each);
  }
  return element;
}

function hexadecimal(number, width = 1) {
  return "0x" + number.toString(16).padStart(width, "0");
}

function plural(count, word) {
  return count.toLocaleString("en") + " " + word + (count === 1 ? "" : "s");
}

const WORD = new RegExp([
  "(?<comment>\\/\\/.*)", '(?<string>"(?:[^"\\\\]|\\\\.)*"?)', "(?<value>%[\\w$.-]+(?:#\\d+)?)",
  "(?<symbol>@[\\w$.-]+)", "(?<label>[#!][\\w$.-]+)", "(?<number>-?\\b(?:0[xX][0-9a-fA-F]+|\\d[\\d.]*(?:[eE][-+]?\\d+)?)\\b)",
  "(?<type>\\b(?:tile|ptr|tensor_view|partition_view|strided_view|gather_scatter_view|token|string|i\\d+|f\\d+\\w*|bf16|tf32)\\b)",
  "(?<name>[A-Za-z_][\\w.$]*)",
].join("|"), "g");

const BEFORE_OP = /^\s*(?:[%\w$.,:#\s-]*=\s*)?$/;

/** Append a line of Tile IR to an element, each word in a span of its kind. */
function appendWords(element, line) {
  let at = 0, op = false;
  for (const found of line.slice(0, LONGEST_SHOWN).matchAll(WORD)) {
    if (found.index > at) element.append(visible(line.slice(at, found.index)));
    const kinds = found.groups;
    let kind = Object.keys(kinds).find((each) => kinds[each] !== undefined);
    if (kind === "name") {
      kind = !op && BEFORE_OP.test(line.slice(0, found.index)) ? "op" : "word";
      op = true;
    }
    const span = make("span", "w-" + kind, found[0]);
    if (kind === "value") span.dataset.value = found[0].replace(/#\d+$/, "");
    element.append(span);
    at = found.index + found[0].length;
  }
  if (at < line.length) element.append(visible(line.slice(at)));
}
