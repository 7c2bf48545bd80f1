// SPDX-License-Identifier: GPL-2.0-or-later
// Looks at each frame of a page, and writes what is wrong as JSON.
"use strict";

const SHAPES = "path, rect, circle, use, polygon";

function rgba(text) {
	const found = text.match(/[\d.]+/g);

	if (!found || text === "none" || text === "transparent")
		return [0, 0, 0, 0];
	return [...found.slice(0, 3).map(Number),
		found.length > 3 ? Number(found[3]) : 1];
}

function over(top, below) {
	return [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]))
		.concat(1);
}

function brightness(colour) {
	const [r, g, b] = colour.map((value) => {
		value /= 255;
		return value <= 0.04045 ? value / 12.92 :
			((value + 0.055) / 1.055) ** 2.4;
	});

	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
	const [low, high] = [brightness(a), brightness(b)]
		.sort((x, y) => x - y);

	return (high + 0.05) / (low + 0.05);
}

// What lies behind an element of HTML.
function ground(element, view) {
	const layers = [];

	for (let at = element; at; at = at.parentElement) {
		const colour = rgba(view.getComputedStyle(at).backgroundColor);

		layers.push(colour);
		if (colour[3] === 1)
			break;
	}
	return layers.reverse().reduce((below, top) => over(top, below),
				       [255, 255, 255, 1]);
}

// The shapes of a drawing, with where they are and how they are filled.
function shapes(svg, view) {
	return [...svg.querySelectorAll(SHAPES)]
		.filter((one) => !one.closest("defs, clipPath, pattern"))
		.map((one) => {
			const style = view.getComputedStyle(one);
			const colour = rgba(style.fill);

			colour[3] *= style.fillOpacity * style.opacity;
			return { one, colour, box: one.getBoundingClientRect() };
		}).filter((shape) => shape.colour[3] > 0);
}

function covers(shape, x, y, svg) {
	const { one, box } = shape;

	if (x < box.left || x > box.right || y < box.top || y > box.bottom)
		return false;
	if (!one.isPointInFill)
		return true;
	const point = svg.createSVGPoint();
	point.x = x;
	point.y = y;
	return one.isPointInFill(
		point.matrixTransform(one.getScreenCTM().inverse()));
}

// What lies behind a text of a drawing: all that was painted before it.
function painted(text, svg, known, below) {
	const box = text.getBoundingClientRect();
	const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;

	for (const shape of known) {
		const order = shape.one.compareDocumentPosition(text);

		if (order & Node.DOCUMENT_POSITION_FOLLOWING &&
		    covers(shape, x, y, svg))
			below = over(shape.colour, below);
	}
	return below;
}

function texts(document) {
	const walker = document.createTreeWalker(document.body,
						 NodeFilter.SHOW_TEXT);
	const found = new Set();

	while (walker.nextNode()) {
		const parent = walker.currentNode.parentElement;

		if (walker.currentNode.data.trim() &&
		    parent.getClientRects().length &&
		    !parent.closest("title, style, script"))
			found.add(parent);
	}
	return found;
}

function faint(document, view) {
	const known = new Map();
	const wrong = [];
	let least = 21;

	for (const element of texts(document)) {
		const svg = element.closest("svg");
		const style = view.getComputedStyle(element);
		let colour, below = ground(svg || element, view);

		if (svg) {
			if (!known.has(svg))
				known.set(svg, shapes(svg, view));
			below = painted(element, svg, known.get(svg), below);
			colour = rgba(style.fill);
		} else {
			colour = rgba(style.color);
		}
		const found = contrast(over(colour, below), below);
		least = Math.min(least, found);
		if (found < 4.5)
			wrong.push(`${found.toFixed(2)}: ` +
				   element.textContent.trim().slice(0, 60));
	}
	return { wrong, least };
}

function wide(document) {
	const width = document.documentElement.clientWidth;

	if (document.documentElement.scrollWidth <= width)
		return [];
	return ["the page", ...[...document.querySelectorAll("body *")]
		.filter((one) => (one.getBoundingClientRect().right > width + 1 ||
				  one.scrollWidth > width) &&
				 !one.closest(".scroll"))
		.map((one) => `${one.tagName} ${one.id}`)].slice(0, 9);
}

function unnamed(document) {
	return [...document.querySelectorAll("svg, img")]
		.filter((one) => !one.parentElement.closest("svg"))
		.filter((one) => !(one.getAttribute("aria-label") ||
				   one.getAttribute("alt") || "").trim() ||
				 (one.tagName === "svg" &&
				  one.getAttribute("role") !== "img"))
		.map((one) => one.outerHTML.slice(0, 80));
}

// Of drawings: text of fewer pixels than can be read.
function small(document, view) {
	return [...texts(document)].filter((one) => {
		const matrix = one.getScreenCTM && one.getScreenCTM();
		const size = parseFloat(view.getComputedStyle(one).fontSize);

		// Some are turned.
		return matrix && size * Math.hypot(matrix.b, matrix.d) < 7.5;
	}).map((one) => one.textContent.trim().slice(0, 60));
}

function disordered(document) {
	const found = [...document.querySelectorAll("h1,h2,h3,h4,h5,h6")]
		.map((one) => Number(one.tagName[1]));
	const wrong = found.filter((level, i) =>
		i === 0 ? level !== 1 : level === 1 || level > found[i - 1] + 1);

	return found.length ? wrong : ["no heading"];
}

window.onload = () => {
	const found = [...document.querySelectorAll("iframe")].map((frame) => {
		const page = frame.contentDocument;
		const view = frame.contentWindow;
		const text = faint(page, view);

		return {
			page: frame.title, wide: wide(page),
			unnamed: unnamed(page), disordered: disordered(page),
			small: small(page, view),
			faint: text.wrong, contrast: text.least,
			texts: texts(page).size,
			paper: view.getComputedStyle(page.body).backgroundColor,
			drawings: page.querySelectorAll("svg, img").length,
		};
	});

	document.getElementById("found").textContent = JSON.stringify(found);
};
