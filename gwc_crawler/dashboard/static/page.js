// Parts of a page that are asked for again while somebody looks: <div data-live="/path" data-every="seconds">.
// Nothing here is needed to use a page.
"use strict";
for (const part of document.querySelectorAll("[data-live]")) {
  const every = 1000 * (Number(part.dataset.every) || 3);
  let failures = 0;
  const again = async () => {
    if (!document.hidden && !part.contains(document.activeElement)) {
      try {
        const answer = await fetch(part.dataset.live, { headers: { "X-Part": "1" } });
        if (answer.status === 403) return;
        if (answer.ok) {
          const open = new Set([...part.querySelectorAll("details[open][id]")].map(one => one.id));
          part.innerHTML = await answer.text();
          for (const one of part.querySelectorAll("template[data-for]")) {
            document.getElementById(one.dataset.for)?.replaceChildren(one.content.cloneNode(true));
          }
          for (const id of open) document.getElementById(id)?.setAttribute("open", "");
          failures = 0;
        }
      } catch { failures += 1; }
    }
    part.classList.toggle("stale", failures > 1);
    setTimeout(again, every * Math.min(8, 1 + failures));
  };
  setTimeout(again, every);
}
// On a phone the tab that is shown may be out of sight.
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
// A page whose figures are being counted is loaded again, unless somebody writes on it, or has opened a part of it.
if ([...document.querySelectorAll(".counting")].some(one => !one.closest("[data-live]"))) {
  const isWritten = one => one.matches("select")
    ? one.selectedOptions[0] !== ([...one.options].find(option => option.defaultSelected) ?? one.options[0])
    : one.value !== one.defaultValue || one.checked !== one.defaultChecked;
  const isInUse = () => document.activeElement?.matches("input, textarea, select")
    || document.querySelector("main details[open]")
    || [...document.querySelectorAll("main :is(input:not([type=hidden]), textarea, select)")].some(isWritten);
  const again = () => isInUse() ? setTimeout(again, 1500) : location.reload();
  setTimeout(again, 1500);
}
// A form is sent once: a second click while the answer is awaited does nothing.
document.addEventListener("submit", event => {
  const buttons = event.target.querySelectorAll("button:enabled");
  setTimeout(() => { for (const one of buttons) one.disabled = true; });  // the one clicked has to be sent along first
  event.target.setAttribute("aria-busy", "true");
});
addEventListener("pageshow", event => {
  if (!event.persisted) return;
  for (const form of document.querySelectorAll("form[aria-busy]")) {
    form.removeAttribute("aria-busy");
    for (const one of form.querySelectorAll("button")) one.disabled = false;
  }
});
for (const box of document.querySelectorAll("input[data-all]")) {
  box.addEventListener("change", () => {
    for (const one of document.querySelectorAll(`input[name="${CSS.escape(box.dataset.all)}"]`)) one.checked = box.checked;
  });
}
// Marked places of a record's page are found by its frame's own address (#mark-…): nothing to do here.
// "/" goes to the search field, as in many programs.
document.addEventListener("keydown", event => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select")) return;
  const field = document.querySelector("input[type=search]");
  if (field) { event.preventDefault(); field.focus(); field.select(); }
});
