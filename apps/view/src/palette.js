// Colours that people with any colour vision can tell apart (Okabe and Ito 2008), and a ramp.

export const STATUS = [
  { name: "open", colour: 0x999999 },
  { name: "stick", colour: 0x009e73 },
  { name: "slip", colour: 0xd55e00 },
];
export const SERIES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a", "#6a3d9a", "#7a4b1f", "#000000"];

// muted colours of bodies: told apart by lightness too
const BODY = [0xb8a488, 0x8fa3b8, 0xc2b280, 0x9db09a, 0xb59a9a, 0xa7a0c0, 0xc9a27c, 0x86a8a4];
export const bodyColour = (i) => BODY[i % BODY.length];
export const FIXED = 0x9aa1aa;

// cividis, five points: dark blue to yellow, even in lightness for everybody
const RAMP = [[0, 32, 76], [64, 77, 108], [124, 123, 120], [187, 173, 108], [255, 233, 69]];

/** Colour of a number in [0, 1] as 0xrrggbb. */
export function ramp(part) {
  const x = Math.min(Math.max(part, 0), 1) * (RAMP.length - 1);
  const k = Math.min(Math.floor(x), RAMP.length - 2), f = x - k;
  const [r, g, b] = RAMP[k].map((v, c) => Math.round(v + f * (RAMP[k + 1][c] - v)));
  return (r << 16) | (g << 8) | b;
}
export const rampGradient = `linear-gradient(90deg,${RAMP.map((c) => `rgb(${c})`).join(",")})`;
