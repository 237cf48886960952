// A drawing as the pixels that a slide takes.

import { el } from "./dom.js";

const SHARP = 2; // pixels of it for one of the page

/** A drawing that needs no stylesheet, as a file's text. @param {SVGSVGElement} svg */
export const written = (svg) => new XMLSerializer().serializeToString(svg);

/** @param {SVGSVGElement} svg @param {(data: Blob) => void} done */
export function png(svg, done) {
  const image = new Image();
  image.onload = () => {
    const canvas = el("canvas");
    canvas.width = SHARP * image.width;
    canvas.height = SHARP * image.height;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((data) => data && done(data));
  };
  image.src = `data:image/svg+xml,${encodeURIComponent(written(svg))}`;
}
