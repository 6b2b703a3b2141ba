/** Cells as CSV or TSV text, such that the reader gives the same cells back. */

/** One record as text, quoted where a reader would need it; with a line's end. */
export function formatCsvRecord(cells: readonly string[], delimiter = ','): string {
	return `${cells
		.map((cell) =>
			cell.includes(delimiter) || /["\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell,
		)
		.join(delimiter)}\n`;
}
