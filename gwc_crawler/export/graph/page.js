"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const svg = document.getElementById("map"), stage = document.getElementById("stage");
  const told = document.getElementById("told"), query = document.getElementById("q");
  const NS = "http://www.w3.org/2000/svg", SHOWN = 200;
  const [URL_, TITLE, KIND, DEPTH, IN, OUT, RANK, GROUP, PARENT] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const whole = svg.viewBox.baseVal, full = [whole.x, whole.y, whole.width, whole.height];
  svg.removeAttribute("width"); svg.removeAttribute("height");
  const overlay = document.createElementNS(NS, "g");
  svg.insertBefore(overlay, svg.querySelector(".g"));
  const pagesOf = data.groups.map(() => []);
  data.pages.forEach((page, place) => pagesOf[page[GROUP]].push(place));

  // --- looking around: wheel zooms, dragging moves
  let view = full.slice();
  const show = () => svg.setAttribute("viewBox", view.join(" "));
  const scale = () => Math.max(view[2] / svg.clientWidth, view[3] / svg.clientHeight);
  const point = (event) => {
    const matrix = svg.getScreenCTM().inverse();
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
  };
  const zoom = (factor, at) => {
    view = [at.x - (at.x - view[0]) * factor, at.y - (at.y - view[1]) * factor, view[2] * factor, view[3] * factor];
    show();
  };
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), point(event));
  }, { passive: false });
  let from = null, moved = false;
  svg.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY]; moved = false; });
  window.addEventListener("pointermove", (event) => {
    if (!from) return;
    const by = [event.clientX - from[0], event.clientY - from[1]];
    if (!moved && Math.hypot(...by) < 4) return;
    moved = true; stage.classList.add("drag");
    view[0] -= by[0] * scale(); view[1] -= by[1] * scale(); from = [event.clientX, event.clientY]; show();
  });
  window.addEventListener("pointerup", () => { from = null; stage.classList.remove("drag"); });
  const middle = () => ({ x: view[0] + view[2] / 2, y: view[1] + view[3] / 2 });
  document.getElementById("nearer").addEventListener("click", () => zoom(0.7, middle()));
  document.getElementById("farther").addEventListener("click", () => zoom(1 / 0.7, middle()));
  const readable = () => {  // a tall picture begins at its top, large enough to be read
    view = full.slice();
    const factor = Math.min(1, svg.clientWidth / full[2]);
    if (svg.clientHeight / full[3] < factor) view = [0, 0, svg.clientWidth / factor, svg.clientHeight / factor];
    show();
  };
  document.getElementById("all").addEventListener("click", () => { view = full.slice(); show(); clear(); });
  document.getElementById("top").addEventListener("click", () => { readable(); clear(); });

  // --- words: everything is put in as text, never as markup
  const element = (name, text, parent) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  };
  const number = (value) => value.toLocaleString("en");
  const pageItem = (place, list) => {
    const page = data.pages[place], item = element("li", undefined, list);
    const link = element("a", page[TITLE] || page[URL_], item);
    link.href = page[URL_]; link.rel = "noreferrer noopener"; link.target = "_blank";
    element("div", page[URL_], item).className = "n";
    const depth = page[DEPTH] < 0 ? "not reached by links" : `depth ${page[DEPTH]}`;
    const kind = data.kinds[page[KIND]] || "not fetched";
    element("div", `${kind}, ${depth}, ${number(page[IN])} in-links, ${number(page[OUT])} out, rank ${page[RANK]}`, item);
    if (page[PARENT] >= 0) {
      const way = element("button", "way from the start", item);
      way.className = "where";
      way.addEventListener("click", () => showWay(place));
    }
  };
  const pageList = (places, title) => {
    told.replaceChildren();
    element("h1", title, told);
    return (some) => {
      const list = element("ul", undefined, told);
      some.slice(0, SHOWN).forEach((place) => pageItem(place, list));
      if (some.length > SHOWN) element("p", `and ${number(some.length - SHOWN)} more: search for them`, told);
    };
  };

  // --- choosing a group: its links, its pages
  const clear = () => {
    overlay.replaceChildren(); svg.classList.remove("some");
    svg.querySelectorAll(".on,.near,.hit").forEach((one) => one.classList.remove("on", "near", "hit"));
    overview();
  };
  const curve = (a, b, name, links) => {
    const [from_, to] = [data.groups[a], data.groups[b]], path = document.createElementNS(NS, "path");
    const half = from_[1] === to[1] ? from_[1] - 80 : (from_[1] + to[1]) / 2;
    path.setAttribute("d", `M${from_[1]} ${from_[2]}C${half} ${from_[2]} ${half} ${to[2]} ${to[1]} ${to[2]}`);
    path.setAttribute("class", name);
    path.setAttribute("stroke-width", Math.min(8, 0.8 + 0.45 * Math.pow(links, 0.35)));
    overlay.append(path);
  };
  const choose = (group, hit) => {
    clear(); svg.classList.add("some");
    const own = document.getElementById(`g${group}`);
    own.classList.add("on");
    const rows = [];
    for (const [a, b, links, pruned] of data.links) {
      if ((a !== group && b !== group) || a === b) continue;
      const other = a === group ? b : a;
      curve(a, b, a === group ? "out" : "in", links);
      document.getElementById(`g${other}`).classList.add("near");
      rows.push([a === group ? "→" : "←", data.groups[other][0], links, pruned]);
    }
    const [name, , , kind] = data.groups[group], places = pagesOf[group];
    const list = pageList(places, name);
    element("p", `${kind || "not fetched"}, ${number(places.length)} ${places.length === 1 ? "page" : "pages"}`, told).className = "n";
    if (rows.length) {
      const table = element("table", undefined, told), head = element("tr", undefined, table);
      ["links", "", "pruned"].forEach((one) => element("th", one, head));
      rows.sort((x, y) => y[2] - x[2]).slice(0, 15).forEach(([way, other, links, pruned]) => {
        const row = element("tr", undefined, table);
        element("td", `${way} ${other}`, row);
        element("td", number(links), row); element("td", pruned ? number(pruned) : "", row);
      });
    }
    const order = places.slice().sort((x, y) => data.pages[y][IN] - data.pages[x][IN]);
    list(hit === undefined ? order : [hit, ...order.filter((place) => place !== hit)]);
  };
  const showWay = (place) => {
    const way = [];
    for (let at = place; at >= 0 && way.length < 100; at = data.pages[at][PARENT]) way.unshift(at);
    choose(data.pages[place][GROUP], place);
    way.forEach((at) => document.getElementById(`g${data.pages[at][GROUP]}`).classList.add("hit"));
    pageList(way, `Way to ${data.pages[place][URL_]}`)(way);
  };
  svg.addEventListener("click", (event) => {
    if (moved) return;
    const group = event.target.closest(".g");
    if (group) choose(Number(group.id.slice(1))); else clear();
  });

  // --- searching in addresses and titles
  let timer = 0;
  query.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 150); });
  const search = () => {
    clear();
    const wanted = query.value.trim().toLowerCase();
    if (!wanted) return;
    const found = [];
    data.pages.forEach((page, place) => {
      if (page[URL_].toLowerCase().includes(wanted) || page[TITLE].toLowerCase().includes(wanted)) found.push(place);
    });
    svg.classList.add("some");
    found.forEach((place) => document.getElementById(`g${data.pages[place][GROUP]}`).classList.add("hit"));
    pageList(found, `${number(found.length)} pages`)(found);
  };
  const overview = () => {
    told.replaceChildren();
    element("h1", data.site, told);
    data.told.forEach(([label, text]) => {
      const line = element("p", undefined, told);
      if (label) element("b", `${label}: `, line);
      line.append(text);
    });
    element("p", "Wheel: nearer or farther. Drag: move. Click a circle: its links (blue out, orange in) and pages.", told);
  };
  overview(); readable();
  const [, what, value] = /^#(q|g)=(.+)$/.exec(location.hash) || [];  // page.html#q=tea: with these words searched for
  if (what === "q") { query.value = decodeURIComponent(value); search(); }
  if (what === "g" && data.groups[Number(value)]) choose(Number(value));
})();
