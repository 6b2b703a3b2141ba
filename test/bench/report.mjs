/** What was measured: a verdict for each figure, a table in Markdown, and a plot of requests over time in SVG. */

/** The value below which a share of the values lies. @param {readonly number[]} values */
function quantile(values, share) {
	const sorted = [...values].sort((left, right) => left - right);
	const place = (sorted.length - 1) * share;
	const below = sorted[Math.floor(place)];
	return below + (sorted[Math.ceil(place)] - below) * (place % 1);
}

/**
 * The median of a figure's values, half of which lie in a band as wide as the noise, and what its target says of it.
 * @param {import('./cases.mjs').Figure} figure @param {readonly number[]} values
 */
export function judge({ most, least }, values) {
	const median = quantile(values, 0.5);
	const noise = quantile(values, 0.75) - quantile(values, 0.25);
	const excess = Math.max(median - (most ?? Infinity), (least ?? -Infinity) - median);
	const verdict =
		most === undefined && least === undefined
			? ''
			: excess <= 0
				? 'met'
				: excess <= noise
					? 'within the noise'
					: 'MISSED';
	return { values, median, noise, verdict };
}

const shown = (value, unit) => {
	const digits = unit === undefined ? 2 : value < 10 ? 1 : 0;
	const text = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
	return unit === undefined ? `${text} ×` : unit.startsWith('/') ? `${text}${unit}` : `${text} ${unit}`;
};

/** @param {readonly (import('./cases.mjs').Figure & ReturnType<typeof judge> & { name: string })[]} figures */
export function tableOf(figures) {
	const lines = ['| what | measured | noise | target | |', '|---|---|---|---|---|'];
	let last = '';
	for (const { name, what, unit, median, noise, most, least, verdict } of figures) {
		if (name !== last) lines.push(`| **${name}** | | | | |`);
		last = name;
		const bound = most === undefined ? '≥' : '≤';
		const target = verdict === '' ? '' : `${bound} ${shown(most ?? least, unit)}`;
		lines.push(`| ${what} | ${shown(median, unit)} | ${shown(noise, unit)} | ${target} | ${verdict} |`);
	}
	return lines.join('\n');
}

const WIDTH = 720;
const HEIGHT = 260;
const [LEFT, TOP, BOTTOM] = [48, 40, 36];

/** Bars of what was served and refused in each second, and the limit as a line. @param {readonly { at: number, status: number }[]} requests @param {number} limit */
export function plotOf(requests, limit) {
	const start = Math.min(...requests.map(({ at }) => at));
	const seconds = [];
	for (const { at, status } of requests) {
		const second = Math.floor(at - start);
		seconds[second] ??= { served: 0, refused: 0 };
		seconds[second][status === 200 ? 'served' : 'refused']++;
	}
	const all = Array.from(seconds, (each) => each ?? { served: 0, refused: 0 });
	const highest = Math.max(limit, ...all.map(({ served, refused }) => served + refused)) * 1.1;
	const step = (WIDTH - LEFT - 16) / all.length;
	const scale = (HEIGHT - TOP - BOTTOM) / highest;
	const base = HEIGHT - BOTTOM;
	const bar = (index, from, value, kind) =>
		value === 0
			? ''
			: `<rect class="${kind}" x="${(LEFT + index * step + 1).toFixed(1)}" y="${(base - (from + value) * scale).toFixed(1)}" width="${(step - 2).toFixed(1)}" height="${(value * scale).toFixed(1)}"/>\n`;
	const bars = all.map(
		({ served, refused }, index) => bar(index, 0, served, 'served') + bar(index, served, refused, 'refused'),
	);
	const text = (x, y, value, anchor = 'start') =>
		`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${value}</text>\n`;
	const marks = all.map((_, index) => (index % 5 === 0 ? text(LEFT + index * step, base + 16, index, 'middle') : ''));
	const line = (base - limit * scale).toFixed(1);
	const title = `Requests a second behind a limit of ${limit}: served (blue), refused (red)`;
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12">
<title>${title}</title>
<style>svg { background: #fff } text { fill: #444 } .served { fill: #0b62a4 } .refused { fill: #d33 } .limit { stroke: #111; stroke-dasharray: 5 4 }</style>
${text(LEFT, 24, title)}${bars.join('')}<line class="limit" x1="${LEFT}" x2="${WIDTH - 16}" y1="${line}" y2="${line}"/>
${text(LEFT - 8, base - limit * scale + 4, limit, 'end')}${text(LEFT - 8, base, 0, 'end')}${marks.join('')}${text(WIDTH - 16, base + 30, 'seconds', 'end')}</svg>
`;
}
