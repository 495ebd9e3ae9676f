/** Prints a table of Markdown row by row, so that a long run shows what it has. The first column is text, the others figures. */
export class Table {
  readonly #widths: readonly number[];

  /** @param columns their titles, and how wide the cells of each are expected to be. */
  constructor(columns: readonly (readonly [title: string, width: number])[]) {
    this.#widths = columns.map(([title, width]) => Math.max(title.length, width));
    this.row(columns.map(([title]) => title));
    const rule = this.#widths.map((width, index) =>
      index === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
    );
    this.row(rule);
  }

  row(cells: readonly string[]): void {
    const padded = cells.map((cell, index) => {
      const width = this.#widths[index]!;
      return index === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    console.log(`| ${padded.join(' | ')} |`);
  }
}
