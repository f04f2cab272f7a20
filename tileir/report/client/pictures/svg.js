// Elements of SVG, each with a class and attributes; texts go through `visible`, as everywhere.

const SVG = "http://www.w3.org/2000/svg";
const ATTRIBUTES = new Set([
  "x", "y", "x1", "y1", "x2", "y2", "width", "height", "rx", "viewBox", "id", "role", "aria-labelledby", "aria-describedby",
]);
let drawn = 0;

/** Make an element of SVG; what is inside are elements or texts. */
function shape(tag, name, attributes = {}, ...inside) {
  const element = document.createElementNS(SVG, tag);
  if (name) element.classList.add(...name.split(" "));
  for (const [key, value] of Object.entries(attributes)) {
    if (!ATTRIBUTES.has(key)) throw new Error("pictures have no attribute " + key);
    element.setAttribute(key, value);
  }
  for (const each of inside) element.append(typeof each === "string" ? visible(each) : each);
  return element;
}

/** Make a picture of this size in pixels, with a name and a description for who cannot see it. */
function picture(width, height, title, description) {
  const id = "picture-" + ++drawn;
  const svg = shape("svg", "picture", {
    width, height, viewBox: "0 0 " + width + " " + height, role: "img",
    "aria-labelledby": id + "-title", "aria-describedby": id + "-desc",
  });
  svg.append(shape("title", "", { id: id + "-title" }, title), shape("desc", "", { id: id + "-desc" }, description));
  return svg;
}

/** Put a picture into a frame that scrolls; who has no mouse scrolls it by the arrows. */
function framed(svg, label) {
  const frame = make("div", "picture-frame", svg);
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", label);
  return frame;
}

/** Put a frame between buttons that are there while more of the picture is left or right of what is in sight.
 * What is `held` in the picture stays at the left edge. */
function goingOn(frame) {
  const around = make("div", "going-on", frame), held = frame.querySelector(".held");
  const button = (side, sign, text) => {
    const made = make("button", "further " + side, text);
    made.type = "button";
    made.setAttribute("aria-label", "what is further to the " + side);
    made.addEventListener("click", () => { frame.scrollBy({ left: sign * 0.8 * frame.clientWidth }); look(); });
    around.append(made);
    return made;
  };
  const left = button("left", -1, "\u2039"), right = button("right", 1, "\u203a");
  const look = () => {
    if (held) held.style.transform = "translateX(" + frame.scrollLeft + "px)";
    left.hidden = frame.scrollLeft < 1;
    right.hidden = frame.scrollLeft + frame.clientWidth > frame.scrollWidth - 1;
  };
  frame.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(frame);
  look();
  return around;
}
