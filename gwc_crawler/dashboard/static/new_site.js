// A click (or Enter) on an element of the page shown chooses it; "more around it" takes the one around.
"use strict";
(() => {
  const foreign = document.getElementById("foreign"), form = document.getElementById("pick");
  if (!foreign || !form) return;
  const told = document.getElementById("picked"), wider = document.getElementById("wider");
  const buttons = form.querySelectorAll("button");
  let chosen = null;
  const choose = element => {
    if (chosen) chosen.classList.remove("chosen");
    chosen = element;
    chosen.classList.add("chosen");
    form.elements.element.value = chosen.dataset.e;
    told.textContent = chosen.textContent.replace(/\s+/g, " ").trim().slice(0, 300);
    if (chosen.dataset.field && form.elements.name) form.elements.name.value = chosen.dataset.field;
    for (const one of buttons) one.disabled = false;
    wider.disabled = !chosen.parentElement.closest("#foreign [data-e]");
  };
  foreign.addEventListener("click", event => {
    const element = event.target.closest("[data-e]");
    if (element) choose(element);
  });
  foreign.addEventListener("keydown", event => {
    if (event.key !== "Enter" && event.key !== " ") return;
    const element = event.target.closest("[data-e]");
    if (!element) return;
    event.preventDefault();
    choose(element);
    (form.elements.name ?? form.querySelector(".primary")).focus();
  });
  wider.addEventListener("click", () => {
    const around = chosen && chosen.parentElement.closest("#foreign [data-e]");
    if (around) choose(around);
  });
})();
