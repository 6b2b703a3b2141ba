/** Content codings: what a service packed is unpacked before anything looks at it. */

import { promisify } from 'node:util';
import { MAX_RESPONSE_BYTES } from './options.js';
import type { RawResponse } from './types.js';

/** More codings than anybody needs are an attempt to blow a small answer up. */
const MAX_CODINGS = 3;

/** Undoes content codings, within the limit on size. */
export async function decodeBody(
	answer: RawResponse,
	maxBytes = MAX_RESPONSE_BYTES,
): Promise<Buffer | { why: string }> {
	const codings = [answer.headers['content-encoding'] ?? '']
		.flat()
		.join(',')
		.toLowerCase()
		.split(',')
		.map((each) => each.trim())
		.filter((each) => each !== '' && each !== 'identity');
	// An answer without a body may name the coding that its body would have.
	if (codings.length === 0 || answer.body.length === 0) return answer.body;
	const zlib = await import('node:zlib');
	const decoders: Record<string, (body: Buffer) => Promise<Buffer>> = {
		gzip: (body) => promisify(zlib.gunzip)(body, { maxOutputLength: maxBytes }) as Promise<Buffer>,
		'x-gzip': (body) => promisify(zlib.gunzip)(body, { maxOutputLength: maxBytes }) as Promise<Buffer>,
		deflate: (body) => promisify(zlib.inflate)(body, { maxOutputLength: maxBytes }) as Promise<Buffer>,
		br: (body) => promisify(zlib.brotliDecompress)(body, { maxOutputLength: maxBytes }) as Promise<Buffer>,
	};
	if (codings.length > MAX_CODINGS) return { why: `it has ${codings.length} content codings, one over another` };
	let body = answer.body;
	for (const coding of codings.reverse()) {
		const decode = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
		if (decode === undefined) return { why: `its content coding "${coding.slice(0, 80)}" is not known` };
		try {
			body = await decode(body);
		} catch (error) {
			const tooLarge = (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
			const limit = `${Math.round(maxBytes / 1024 / 1024)} MiB`;
			return { why: tooLarge ? `unpacked it is larger than ${limit}` : `its ${coding} coding is broken` };
		}
	}
	return body;
}
