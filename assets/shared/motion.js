// Whether a visitor wants no motion: then what moves stands at its end at once.

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
