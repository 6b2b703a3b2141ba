/** A file that is read more than once, and notices when its bytes have changed in between. */

import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { UsageError } from '../../errors.js';

/** With four times as much, a run needs half as much memory again. */
export const CHUNK_BYTES = 64 * 1024;

/** A file read in equal chunks; every later pass has to meet the bytes of the first. */
export class SteadyFile {
	readonly #handle: FileHandle;
	readonly #name: string;
	/** The start of the running digest after each chunk: enough to notice a change before its rows are used. */
	readonly #marks: number[] = [];
	sha256: string | undefined;

	constructor(handle: FileHandle, name: string) {
		this.#handle = handle;
		this.#name = name;
	}

	#changed(): UsageError {
		return new UsageError(`${this.#name} changed while it was being read`, {
			code: 'input_changed',
			hint: 'leave the file alone during a run, or give a copy of it',
			data: { file: this.#name },
		});
	}

	async #fill(buffer: Buffer, position: number): Promise<number> {
		let length = 0;
		while (length < buffer.length) {
			const { bytesRead } = await this.#handle.read(buffer, length, buffer.length - length, position + length);
			if (bytesRead === 0) break;
			length += bytesRead;
		}
		return length;
	}

	/** The first bytes, outside any pass. */
	async head(length: number): Promise<Buffer> {
		const buffer = Buffer.alloc(length);
		return buffer.subarray(0, await this.#fill(buffer, 0));
	}

	async *chunks(): AsyncGenerator<Buffer> {
		const hash = createHash('sha256');
		let position = 0;
		for (let index = 0; ; index++) {
			const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
			const length = await this.#fill(buffer, position);
			if (length === 0) break;
			const chunk = buffer.subarray(0, length);
			hash.update(chunk);
			const mark = hash.copy().digest().readUIntBE(0, 6);
			if (index < this.#marks.length ? this.#marks[index] !== mark : this.sha256 !== undefined) throw this.#changed();
			this.#marks[index] = mark;
			position += length;
			yield chunk;
		}
		const digest = hash.digest('hex');
		if (this.sha256 !== undefined && this.sha256 !== digest) throw this.#changed();
		this.sha256 = digest;
	}

	async close(): Promise<void> {
		await this.#handle.close();
	}
}
