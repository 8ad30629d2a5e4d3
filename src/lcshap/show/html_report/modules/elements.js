// Elements are only ever made from names, attributes and text, never from HTML.

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function make(tag, attributes = {}, ...children) {
  return build(document.createElement(tag), attributes, children);
}

export function makeSvg(tag, attributes = {}, ...children) {
  return build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

export function byId(id) {
  return document.getElementById(id);
}
