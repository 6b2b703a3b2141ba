/** Bodies of requests, of bounded size: whoever reaches the port can send some, also without a password. */

import type { IncomingMessage } from 'node:http';

/** As PHP's `post_max_size`. */
const LARGEST = 8 * 1024 * 1024;
/** Of all requests under way. */
const MOST = 64 * 1024 * 1024;

export class Bodies {
	#held = 0;

	/** @param work gets undefined for a body that is too large; the room is free again once it is done */
	async with(request: IncomingMessage, work: (body: string | undefined) => Promise<void>): Promise<void> {
		let chunks: Buffer[] | undefined = [];
		let length = 0;
		try {
			for await (const chunk of request.iterator({ destroyOnReturn: false })) {
				const bytes = chunk as Buffer;
				length += bytes.length;
				this.#held += bytes.length;
				chunks.push(bytes);
				if (length <= LARGEST && this.#held <= MOST) continue;
				chunks = undefined;
				break;
			}
			// A caller that is still sending may not read the response: the rest is dropped.
			if (chunks === undefined) request.resume();
			await work(chunks && new TextDecoder().decode(Buffer.concat(chunks, length)));
		} finally {
			this.#held -= length;
		}
	}
}
