/** Rate and memory against rows, as text for a terminal and as an SVG. */

const WIDTH = 40;

/** @param points [{ rows, microseconds, megabytes }] */
export function textPlot(points) {
	const bar = (value, most) => '█'.repeat(Math.max(1, Math.round((value / most) * WIDTH)));
	const slowest = Math.max(...points.map((each) => each.microseconds));
	const largest = Math.max(...points.map((each) => each.megabytes));
	const lines = (title, value, most, unit) => [
		title,
		...points.map(
			(each) => `${String(each.rows).padStart(9)} rows  ${bar(value(each), most)} ${value(each).toFixed(1)} ${unit}`,
		),
	];
	return [
		...lines('Time a row', (each) => each.microseconds, slowest, 'µs'),
		'',
		...lines('Peak memory', (each) => each.megabytes, largest, 'MB'),
	].join('\n');
}

/** Two small charts side by side; rows on a logarithmic axis. */
export function svgPlot(points) {
	const [first, last] = [Math.log(points[0].rows), Math.log(points.at(-1).rows)];
	const chart = (title, unit, value, left) => {
		const most = Math.max(...points.map(value)) * 1.15;
		const x = (each) => left + 50 + ((Math.log(each.rows) - first) / (last - first || 1)) * 270;
		const y = (each) => 200 - (value(each) / most) * 150;
		const path = points
			.map((each, index) => `${index === 0 ? 'M' : 'L'}${x(each).toFixed(1)} ${y(each).toFixed(1)}`)
			.join(' ');
		const marks = points
			.map(
				(each) =>
					`<circle cx="${x(each).toFixed(1)}" cy="${y(each).toFixed(1)}" r="3"/><text x="${x(each).toFixed(1)}" y="${(y(each) - 8).toFixed(1)}">${value(each).toFixed(1)}</text><text x="${x(each).toFixed(1)}" y="218">${each.rows.toLocaleString('en')}</text>`,
			)
			.join('');
		return `<text x="${left + 50}" y="24" font-weight="bold" text-anchor="start">${title} (${unit})</text><path d="M${left + 50} 200H${left + 330}" stroke="#999"/><path d="${path}" fill="none" stroke="#06c" stroke-width="2"/><g fill="#06c" text-anchor="middle">${marks}</g>`;
	};
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 240" font-family="sans-serif" font-size="11">${chart('Time a row', 'µs', (each) => each.microseconds, 0)}${chart('Peak memory', 'MB', (each) => each.megabytes, 380)}</svg>\n`;
}
