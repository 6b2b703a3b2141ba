import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { hideSecrets } from '../../src/http/content.js';
import type { Attempt, RawResponse } from '../../src/http/types.js';

const scrub = (attempt: Attempt) =>
	hideSecrets(attempt, {
		mayHold: (text) => Buffer.from(text as string).includes('sesam'),
		clean: (text) => text.replaceAll('sesam, open', '[redacted]'),
	});

function responseOf(body: string, headers: RawResponse['headers'] = {}) {
	return { kind: 'response', response: { status: 200, headers, body: Buffer.from(body) }, ms: 5 } as const;
}

describe('a scrubber', () => {
	it('blacks out credentials in the body and in headers, single and repeated, and leaves the rest', () => {
		const headers = { 'x-echo': 'sesam, open', 'set-cookie': ['a=1', 'b=sesam, open'], date: 'today', none: undefined };
		const result = scrub(responseOf('{"a":"sesam, open"}', headers));
		expect(result).toEqual(
			responseOf('{"a":"[redacted]"}', {
				'x-echo': '[redacted]',
				'set-cookie': ['a=1', 'b=[redacted]'],
				date: 'today',
				none: undefined,
			}),
		);
		expect(headers['x-echo']).toBe('sesam, open');
	});

	it('unpacks what a service packed unasked, for what is packed can not be searched', async () => {
		for (const [coding, body] of [
			['gzip', gzipSync('{"a":"sesam, open"}')],
			['br', brotliCompressSync('{"a":"sesam, open"}')],
		] as const) {
			const packed = { status: 200, headers: { 'content-encoding': coding, date: 'today' }, body };
			expect(await scrub({ kind: 'response', response: packed, ms: 5 })).toEqual(
				responseOf('{"a":"[redacted]"}', { date: 'today' }),
			);
		}
		const odd = responseOf('sesam, open', { 'content-encoding': 'made-up' });
		expect(await scrub(odd)).toEqual(responseOf('[redacted]', { 'content-encoding': 'made-up' }));
	});

	it('gives an attempt back as it is where there is nothing to hide', () => {
		const clean = responseOf('{}', { date: 'today' });
		expect(scrub(clean)).toBe(clean);
		const lost = {
			kind: 'problem',
			problem: { code: 'timeout', message: 'x', permanent: false },
			sent: true,
			ms: 1,
		} as const;
		expect(scrub(lost)).toBe(lost);
	});

	it('cleans headers whose body holds nothing, and keeps a body that only seemed to hold something byte by byte', async () => {
		expect(scrub(responseOf('{}', { 'x-echo': 'sesam, open' }))).toEqual(responseOf('{}', { 'x-echo': '[redacted]' }));
		const broken = Buffer.from([0xff, ...Buffer.from('sesam')]);
		const result = await scrub({ kind: 'response', response: { status: 200, headers: {}, body: broken }, ms: 5 });
		expect(result.kind === 'response' && result.response.body).toBe(broken);
	});
});
