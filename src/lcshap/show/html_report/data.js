"use strict";

// -- data: blocks of JSON inside the page, each parsed when it is first needed ----------------------------------

const blocks = new Map();

function read(id) {
  if (!blocks.has(id)) blocks.set(id, JSON.parse(document.getElementById(id).textContent));
  return blocks.get(id);
}

const TYPES = { u1: Uint8Array, u2: Uint16Array, i2: Int16Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array };

/** An array from its type and the base64 of its bytes. */
function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.slice(2)), (letter) => letter.charCodeAt(0));
  return new TYPES[packed.slice(0, 2)](bytes.buffer);
}

/** The unit of each part of a picture; part i is unit i where nothing else is said. */
function labelsOf(picture, count) {
  return "labels" in picture ? unpack(read(`pool-${picture.labels}`)) : Int32Array.from({ length: count }, (_, i) => i);
}

/** Pairs (start, end) from a flat array. */
function spansOf(packed) {
  const flat = unpack(packed);
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
}

/** Names and scores of the units of an entry, the order in which they are masked, and that in which they are named. */
function unitsOf(listed, picture, entry) {
  const names =
    "names" in listed
      ? read(`pool-${listed.names}`)
      : spansOf(picture.spans).map(([start, end]) => listed.text.slice(start, end));
  const [scores, ranking] = [entry.scores, entry.ranking].map(unpack);
  const leading = entry.leading ? unpack(entry.leading) : bySize(scores);
  const [stderr, drawn] = [entry.stderr, entry.drawn].map((part) => part && unpack(part));
  return withRanks({ names, scores, ranking, leading, stderr, drawn: drawn ?? scores });
}

/** The same for sentences: scores added up. `groups` is the sentence of each unit. */
function sentencesOf(listed, picture, units) {
  const sentences = spansOf(picture.sentences);
  const groups = new Int32Array(units.scores.length);
  const labels = labelsOf(picture, groups.length);
  spansOf(picture.spans).forEach(([start], part) => {
    if (labels[part] >= 0) groups[labels[part]] = sentences.findIndex(([, end]) => start < end);
  });
  const scores = new Float64Array(sentences.length);
  units.scores.forEach((score, unit) => (scores[groups[unit]] += score));
  const ranking = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a] || a - b);
  const names = sentences.map(([start, end]) => listed.text.slice(start, end));
  return withRanks({ names, scores, ranking, leading: bySize(scores), groups, drawn: scores });
}

function withRanks(units) {
  units.ranks = new Int32Array(units.scores.length);
  units.leading.forEach((unit, rank) => (units.ranks[unit] = rank + 1));
  units.limit = Math.abs(units.scores[bySize(units.scores).find((unit) => isFinite(units.scores[unit]))]) || 1;
  return units;
}

/** What the widest arc stands for; next to the scores, rounding errors count for nothing. */
function largestOf(interactions, units) {
  return interactions.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-6 * units.limit);
}

/** Units by descending |score|. */
function bySize(scores) {
  return Array.from(scores.keys()).sort((a, b) => Math.abs(scores[b]) - Math.abs(scores[a]) || a - b);
}

// -- numbers and words ------------------------------------------------------------------------------------------

/** A number with at most so many significant digits and a proper minus. */
function format(number, digits = 6, sign = false) {
  const rounded = Number(Number(number).toPrecision(digits));
  const tiny = rounded !== 0 && Math.abs(rounded) < 1e-4;
  const plain = tiny ? rounded.toExponential() : String(rounded);
  const text = plain.replaceAll("-", "−").replace("Infinity", "∞");
  return sign && rounded > 0 ? `+${text}` : text;
}

/** The standard error of a score, where there is one. */
function errorOf(units, unit) {
  return isFinite(units.stderr?.[unit]) ? ` ± ${format(units.stderr[unit], 2)}` : "";
}

function describe(units, unit) {
  const error = errorOf(units, unit);
  const rank = `rank ${units.ranks[unit]} of ${units.scores.length}`;
  return `${clip(units.names[unit], 60)}: ${format(units.scores[unit], 6, true)}${error}, ${rank}`;
}

function clip(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

// -- elements: only ever made from names, attributes and text, never from HTML ----------------------------------

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function make(tag, attributes = {}, ...children) {
  return build(document.createElement(tag), attributes, children);
}

function makeSvg(tag, attributes = {}, ...children) {
  return build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function byId(id) {
  return document.getElementById(id);
}

// -- colours ----------------------------------------------------------------------------------------------------

const colours = {};

function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["background", "ink", "positive", "negative"]) {
    const text = style.getPropertyValue(`--${name}`).trim();
    colours[name] = [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  }
}

/** The background at zero, the full colour at plus or minus `limit`. */
function shade(score, limit) {
  const share = isFinite(score) ? Math.min(Math.abs(score) / limit, 1) : 0;
  const end = score > 0 ? colours.positive : colours.negative;
  return colours.background.map((start, k) => Math.round(start + share * (end[k] - start)));
}

function rgb(colour) {
  return `rgb(${colour.join(", ")})`;
}

/** Black or white, whichever is easier to read on a colour. */
function inkOn(colour) {
  const linear = colour.map((part) => (part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? "black" : "white";
}

/** Background and ink of an element by a score. */
function paint(element, score, limit) {
  const colour = shade(score, limit);
  element.style.setProperty("background-color", rgb(colour));
  element.style.setProperty("color", inkOn(colour));
}
