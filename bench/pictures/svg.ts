/** Pieces of SVG pictures that are readable on light and on dark pages. */

const LIGHT = { text: '#1f2328', grid: '#d1d9e0', series: ['#0969da', '#bc4c00', '#1a7f37', '#8250df'] };
const DARK = { text: '#e6edf3', grid: '#3d444d', series: ['#58a6ff', '#ffa657', '#56d364', '#d2a8ff'] };

/** Plain rules, since not every program that shows SVG knows variables of CSS. */
const colors = ({ text, grid, series }: typeof LIGHT): string =>
  [
    `text { fill: ${text}; }`,
    `.grid { stroke: ${grid}; fill: none; }`,
    ...series.map((color, index) => `.area${index} { fill: ${color}; } .line${index} { stroke: ${color}; }`),
  ].join('\n  ');

const STYLE = `
  text { font: 12px system-ui, sans-serif; }
  .title { font-size: 14px; font-weight: 600; }
  ${colors(LIGHT)}
  @media (prefers-color-scheme: dark) {
  ${colors(DARK)}
  }`;

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** A whole picture; its title is also what a screen reader says. */
export function picture(
  title: string,
  size: { width: number; height: number },
  parts: readonly string[],
): string {
  const { width, height } = size;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}\n</style>`,
    text(title, { x: 12, y: 22 }, { className: 'title' }),
    ...parts,
    '</svg>\n',
  ].join('\n');
}

export function text(
  content: string,
  { x, y }: Place,
  { anchor = 'start', className = '' }: { anchor?: 'start' | 'middle' | 'end'; className?: string } = {},
): string {
  const classes = className === '' ? '' : ` class="${className}"`;
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"${classes}>${escaped(content)}</text>`;
}

export function gridLine(from: Place, to: Place): string {
  return `<path class="grid" d="M${round(from.x)} ${round(from.y)}L${round(to.x)} ${round(to.y)}"/>`;
}

/** A line through points, with a dot at each. */
export function line(points: readonly Place[], series: number): string {
  const path = points.map(({ x, y }) => `${round(x)} ${round(y)}`).join('L');
  const dots = points.map(
    ({ x, y }) => `<circle cx="${round(x)}" cy="${round(y)}" r="3" class="area${series}"/>`,
  );
  return `<path d="M${path}" class="line${series}" fill="none" stroke-width="2"/>${dots.join('')}`;
}

export function bar(from: Place, size: { width: number; height: number }, series: number): string {
  const { width, height } = size;
  const place = `x="${round(from.x)}" y="${round(from.y)}" width="${round(width)}" height="${round(height)}"`;
  return `<rect ${place} class="area${series}"/>`;
}

/** Names of the series, from left to right. */
export function legend(names: readonly string[], { x, y }: Place): string {
  return names
    .map((name, index) => {
      const at = x + index * 120;
      return bar({ x: at, y: y - 9 }, { width: 10, height: 10 }, index) + text(name, { x: at + 15, y });
    })
    .join('\n');
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
