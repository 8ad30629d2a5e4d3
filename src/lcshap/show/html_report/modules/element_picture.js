// Pictures that are made of elements: `data-unit` is what is scored, `data-part` the unit that is masked.

export function unitData(unit) {
  return unit < 0 ? {} : { "data-unit": unit, "data-part": unit };
}

/** How such a picture is pointed at, marked and masked, see pictures.js. */
export function ofElements(box) {
  return {
    unitAt: (event) => Number(event.target.closest("[data-unit]")?.dataset.unit ?? -1),
    mark: (unit) => {
      for (const element of box.querySelectorAll(".marked")) element.classList.remove("marked");
      const elements = box.querySelectorAll(`[data-unit="${unit}"]`);
      for (const element of elements) element.classList.add("marked");
      return elements[0];
    },
    mask: (masked) => {
      for (const element of box.querySelectorAll("[data-part]"))
        element.classList.toggle("masked", masked[element.dataset.part] === 1);
    },
  };
}
