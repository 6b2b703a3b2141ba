import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('the licenses of bundled packages say where the source of each is', () => {
	const text = readFileSync(new URL('../../dist/THIRD-PARTY-LICENSES', import.meta.url), 'utf8');
	const heads = [...text.matchAll(/^(\S+) \d+\.\S+ \((.+)\)\nSource: (\S+)$/gm)];
	const sources = Object.fromEntries(heads.map(([, name, , source]) => [name, source]));
	expect(sources['@jmespath-community/jmespath']).toBe('https://github.com/jmespath-community/typescript-jmespath');
	expect(sources.undici).toBe('https://github.com/nodejs/undici');
	for (const source of Object.values(sources)) expect(source).toMatch(/^https:\/\/github\.com\/[\w-]+\/[\w.-]+$/);
	expect(heads).toHaveLength(text.match(/^Source: /gm)?.length ?? 0);
});
