/** The layout as docs/architecture.md describes it: which room may import which, where each package lives, and what no file below bin may do. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');

/** What a room may import besides itself, as the table in docs/architecture.md says. Files directly in src are rooms of their own name. */
const allowed: Record<string, readonly string[]> = Object.fromEntries(
	[
		...readFileSync(join(root, 'docs/architecture.md'), 'utf8').matchAll(
			/^\| `src\/([a-z]+)(?:\.ts)?` \|.*\| ([^|]+) \|$/gm,
		),
	]
		.map(([, room = '', imports = '']): [string, string[]] => [room, imports === 'nothing' ? [] : imports.split(', ')])
		.filter(([room]) => room !== 'tools'),
);

/** The rooms where a package may be imported. */
const homes: Record<string, readonly string[]> = {
	commander: ['cli'],
	undici: ['http'],
	conf: ['profile'],
	'@napi-rs/keyring': ['profile'],
	inquirer: ['io'],
	chalk: ['output'],
	'cli-table3': ['output'],
	'string-width': ['output'],
	yaml: ['output'],
	'@jmespath-community/jmespath': ['output'],
	'csv-parse': ['bulk'],
};

interface Import {
	file: string;
	room: string;
	target: string;
}

function sourceFiles(folder: string): string[] {
	return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) return entry.name === 'tools' ? [] : sourceFiles(path);
		return entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts') ? [path] : [];
	});
}

const roomOf = (file: string): string => relative(src, file).split('/')[0]?.replace(/\.ts$/, '') as string;
const files = sourceFiles(src);
const imports: Import[] = files.flatMap((file) => {
	const text = readFileSync(file, 'utf8');
	const found = text.matchAll(
		/(?:^|\n)\s*(?:import|export)\b[^;'"]*?\bfrom\s*'([^']+)'|\bimport\('([^']+)'\)|(?:^|\n)import '([^']+)'/g,
	);
	return [...found].map((match) => ({
		file: relative(root, file),
		room: roomOf(file),
		target: (match[1] ?? match[2] ?? match[3]) as string,
	}));
});

describe('rooms', () => {
	test('there is something to look at', () => {
		expect(imports.length).toBeGreaterThan(400);
	});

	test('every file is in a known room', () => {
		expect(new Set(files.map(roomOf))).toEqual(new Set(Object.keys(allowed)));
	});

	test('a room imports only from rooms below it', () => {
		const crossings = imports
			.filter(({ target }) => target.startsWith('.'))
			.filter(({ target }) => !/package\.json$|\.(?:md|bash|fish|ps1|zsh)$/.test(target))
			.map(({ file, room, target }) => ({
				file,
				room,
				to: roomOf(resolve(root, dirname(file), target.replace(/\.js$/, '.ts'))),
			}))
			.filter(({ room, to }) => room !== to && !allowed[room]?.includes(to));
		expect(crossings).toEqual([]);
	});

	/** What stands inside a room, from the bottom up: by the second table there. */
	const floors = [
		...readFileSync(join(root, 'docs/architecture.md'), 'utf8').matchAll(/^\| `(src\/[a-z]+)` \| ([a-z, -]+) \|$/gm),
	].map(([, room = '', order = '']) => ({ room, order: order.split(', ') }));

	test.each(floors)('inside $room imports go downwards', ({ room, order }) => {
		const floorOf = (path: string): number => {
			const name = relative(join(root, room), path).split('/')[0]?.replace(/\.ts$/, '') ?? '';
			const floor = order.indexOf(name);
			if (floor < 0)
				throw new Error(`give ${name} its place in the table of rooms inside ${room} (docs/architecture.md)`);
			return floor;
		};
		const inside = imports
			.filter(({ file, target }) => file.startsWith(`${room}/`) && target.endsWith('.js') && target.startsWith('.'))
			.map(({ file, target }) => ({ file, to: resolve(root, dirname(file), target.replace(/\.js$/, '.ts')) }))
			.filter(({ to }) => relative(root, to).startsWith(`${room}/`));
		const upwards = inside.filter(({ file, to }) => floorOf(join(root, file)) < floorOf(to));
		expect(upwards.map(({ file, to }) => `${file} → ${relative(root, to)}`)).toEqual([]);
		expect(inside.length).toBeGreaterThan(50);
	});

	test('the rooms that are large have an order inside', () => {
		expect(floors.map((each) => each.room)).toEqual(['src/bulk', 'src/cli']);
	});

	test('no files import each other, however long the way round', () => {
		const next = new Map<string, string[]>();
		for (const { file, target } of imports) {
			if (!target.startsWith('.')) continue;
			const to = relative(root, resolve(root, dirname(file), target.replace(/\.js$/, '.ts')));
			next.set(file, [...(next.get(file) ?? []), to]);
		}
		const done = new Set<string>();
		const cycles: string[] = [];
		const visit = (file: string, path: readonly string[]): void => {
			if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
			if (path.includes(file) || done.has(file)) return;
			for (const to of next.get(file) ?? []) visit(to, [...path, file]);
			done.add(file);
		};
		for (const file of next.keys()) visit(file, []);
		expect(cycles).toEqual([]);
	});

	test('a package is imported only in its home', () => {
		const strays = imports
			.filter(({ target }) => !target.startsWith('.') && !target.startsWith('node:'))
			.map((each) => ({
				...each,
				name: each.target
					.split('/')
					.slice(0, each.target.startsWith('@') ? 2 : 1)
					.join('/'),
			}))
			.filter(({ name, room }) => !homes[name]?.includes(room))
			.map(({ file, name }) => ({ file, name }));
		expect(strays).toEqual([]);
	});

	test('the binary only hands the process to main', () => {
		const text = readFileSync(join(root, 'bin/supportctl.js'), 'utf8');
		expect(text.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(12);
	});
});

describe('habits', () => {
	const texts = files.map((file) => ({ file: relative(root, file), text: readFileSync(file, 'utf8') }));

	test('each file opens with one sentence on its responsibility', () => {
		expect(texts.filter(({ text }) => !/^\/\*\*\s+\S/.test(text)).map(({ file }) => file)).toEqual([]);
	});

	test('nothing below bin ends the process or reads its environment', () => {
		const offenders = texts
			.filter(({ text }) => /\bprocess\.exit\(|\bprocess\.env\b/.test(text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')))
			.map(({ file }) => file)
			.filter((file) => !file.startsWith('src/main') && !file.startsWith('src/profile/'));
		expect(offenders).toEqual([]);
	});

	test('no module keeps state that changes', () => {
		const offenders = texts.filter(({ text }) => /^(?:export )?let /m.test(text)).map(({ file }) => file);
		expect(offenders).toEqual([]);
	});
});
