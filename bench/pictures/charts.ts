import { axisAround, type LogAxis } from './log-axis.js';
import { bar, gridLine, legend, line, picture, text } from './svg.js';

export interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

const SIZE = { width: 720, height: 380 };
const LEFT = 64;
const RIGHT = SIZE.width - 20;
const TOP = 64;
const BOTTOM = SIZE.height - 48;

/** Lines over numbers; both axes are logarithmic. */
export function lineChart(
  title: string,
  { name, values }: Series,
  unit: string,
  series: readonly Series[],
): string {
  const xs = axisAround(values, LEFT, RIGHT);
  const ys = axisAround(
    series.flatMap((each) => each.values),
    BOTTOM,
    TOP,
  );
  const columns = xs.ticks().flatMap((tick) => {
    const x = xs.at(tick);
    return [
      gridLine({ x, y: TOP }, { x, y: BOTTOM }),
      text(tick.toLocaleString('en-US'), { x, y: BOTTOM + 18 }, { anchor: 'middle' }),
    ];
  });
  const lines = series.map((each, index) => {
    return line(
      each.values.map((value, at) => ({ x: xs.at(values[at]!), y: ys.at(value) })),
      index,
    );
  });
  const label = text(name, { x: (LEFT + RIGHT) / 2, y: SIZE.height - 10 }, { anchor: 'middle' });
  return picture(title, SIZE, [...rows(ys), ...columns, ...lines, label, ...head(unit, series)]);
}

/** Groups of bars, each labelled with its value; the upright axis is logarithmic. */
export function barChart(
  title: string,
  groups: readonly string[],
  unit: string,
  series: readonly Series[],
): string {
  const all = series.flatMap((each) => each.values);
  // A bar of the lowest value must have a height.
  const ys = axisAround([Math.min(...all) / 2, ...all], BOTTOM, TOP);
  const groupWidth = (RIGHT - LEFT) / groups.length;
  const width = (groupWidth * 0.84) / series.length;
  const bars = groups.flatMap((group, at) => {
    const left = LEFT + groupWidth * (at + 0.08);
    const own = series.flatMap(({ values }, index) => {
      const value = values[at]!;
      const x = left + index * width;
      const y = ys.at(value);
      const figure = text(value.toFixed(0), { x: x + width / 2, y: y - 4 }, { anchor: 'middle' });
      return [bar({ x, y }, { width: width - 2, height: BOTTOM - y }, index), figure];
    });
    return [...own, text(group, { x: LEFT + groupWidth * (at + 0.5), y: BOTTOM + 18 }, { anchor: 'middle' })];
  });
  return picture(title, SIZE, [...rows(ys), ...bars, ...head(unit, series)]);
}

function rows(ys: LogAxis): readonly string[] {
  return ys.ticks().flatMap((tick) => {
    const y = ys.at(tick);
    return [
      gridLine({ x: LEFT, y }, { x: RIGHT, y }),
      text(tick.toLocaleString('en-US'), { x: LEFT - 6, y: y + 4 }, { anchor: 'end' }),
    ];
  });
}

function head(unit: string, series: readonly Series[]): readonly string[] {
  const names = legend(
    series.map(({ name }) => name),
    { x: LEFT + 130, y: 48 },
  );
  return [text(unit, { x: 12, y: 48 }), names];
}
