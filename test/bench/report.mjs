/** What was measured, as a table, as a plot in text, and as a plot in SVG. */

const round = (value) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3));

/** @param {readonly import('./bench.mjs').Finding[]} findings */
export function tableText(findings) {
	const rows = findings.map(({ what, measured, unit, target }) => {
		const value = `${round(measured)} ${unit}`;
		if (target === undefined) return [what, value, '', ''];
		const met = target.kind === 'at most' ? measured <= target.value : measured >= target.value;
		return [what, value, `${target.kind} ${round(target.value)} ${unit}`, met ? 'met' : 'MISSED'];
	});
	const widths = [0, 1, 2].map((index) => Math.max(...rows.map((row) => row[index].length)));
	return rows
		.map(([what, value, target, verdict]) =>
			`${what.padEnd(widths[0])}  ${value.padStart(widths[1])}  ${target.padEnd(widths[2])}  ${verdict}`.trimEnd(),
		)
		.join('\n');
}

const BAR = 40;

/** Rate and memory against rows, a bar each. @param {readonly { rows: number, rate: number, peakMB: number }[]} growth */
export function plotText(growth) {
	const plot = (title, of, unit) => {
		const most = Math.max(...growth.map(of));
		const lines = growth.map((each) => {
			const bar = '█'.repeat(Math.max(1, Math.round((of(each) / most) * BAR)));
			return `${each.rows.toLocaleString('en').padStart(9)}  ${bar} ${round(of(each))} ${unit}`;
		});
		return [`${title} by rows`, ...lines].join('\n');
	};
	return [plot('rate', (each) => each.rate, 'rows/s'), plot('peak memory', (each) => each.peakMB, 'MB')].join('\n\n');
}

const WIDTH = 720;
const HEIGHT = 260;
const MARGIN = { left: 80, right: 24, top: 48, bottom: 44 };

/** One panel: a line through points, rows on a logarithmic axis, the value's axis from nothing. */
function panel(growth, of, title, unit, offset) {
	const inner = { width: WIDTH - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
	const [first, last] = [growth[0].rows, growth.at(-1).rows];
	const top = Math.max(...growth.map(of)) * 1.15;
	const x = (rows) => MARGIN.left + (Math.log(rows / first) / Math.log(last / first)) * inner.width;
	const y = (value) => offset + MARGIN.top + inner.height * (1 - value / top);
	const points = growth.map((each) => `${x(each.rows).toFixed(1)},${y(of(each)).toFixed(1)}`);
	const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => top * share);
	return [
		`<text x="${MARGIN.left}" y="${offset + 28}" class="title">${title}</text>`,
		...ticks.map(
			(value) =>
				`<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}" class="grid"/>` +
				`<text x="${MARGIN.left - 8}" y="${(y(value) + 4).toFixed(1)}" class="label" text-anchor="end">${round(value)}</text>`,
		),
		`<polyline points="${points.join(' ')}" class="line"/>`,
		...growth.map(
			(each) =>
				`<circle cx="${x(each.rows).toFixed(1)}" cy="${y(of(each)).toFixed(1)}" r="4"><title>${each.rows.toLocaleString('en')} rows: ${round(of(each))} ${unit}</title></circle>` +
				`<text x="${x(each.rows).toFixed(1)}" y="${offset + HEIGHT - 16}" class="label" text-anchor="middle">${each.rows.toLocaleString('en')}</text>`,
		),
	].join('\n');
}

/** @param {readonly { rows: number, rate: number, peakMB: number }[]} growth @param {string} caption */
export function plotSvg(growth, caption) {
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${2 * HEIGHT + 32}" viewBox="0 0 ${WIDTH} ${2 * HEIGHT + 32}" font-family="system-ui, sans-serif">
<style>
	svg { background: #fff } .title { font-size: 15px; font-weight: 600 } .label { font-size: 11px; fill: #555 }
	.grid { stroke: #ddd } .line { fill: none; stroke: #0b62a4; stroke-width: 2 } circle { fill: #0b62a4 }
</style>
${panel(growth, (each) => each.rate, 'Rows a second, by rows in the run', 'rows/s', 0)}
${panel(growth, (each) => each.peakMB, 'Peak memory in MB, by rows in the run', 'MB', HEIGHT)}
<text x="${MARGIN.left}" y="${2 * HEIGHT + 20}" class="label">${caption.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>
</svg>
`;
}
