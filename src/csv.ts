/** Cells as CSV or TSV text, such that a reader gives the same cells back. */

const NEEDS_QUOTES = /["\r\n]|^\s|\s$/;

/** One cell, in quotation marks where a reader needs them. Values are kept as they are: a formula stays a formula. */
export function formatCsvCell(cell: string, delimiter = ','): string {
	return cell.includes(delimiter) || NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** One record as text, with a line's end. */
export function formatCsvRecord(cells: readonly string[], delimiter = ','): string {
	// A single empty cell would be an empty line, which readers skip.
	if (cells.length === 1 && cells[0] === '') return '""\n';
	let text = formatCsvCell(cells[0] ?? '', delimiter);
	for (let index = 1; index < cells.length; index++) {
		text += delimiter + formatCsvCell(cells[index] as string, delimiter);
	}
	return `${text}\n`;
}
