/** Passwords of the sandbox: how they are made, hashed and compared. */

import { createHash } from 'node:crypto';

const MARK = '$desk$';

/** A hash that can't be taken for the password; a sandbox's secrets open nothing else, so it is quick rather than slow. */
export function hashSecret(secret: string): string {
	return MARK + createHash('sha256').update(secret).digest('base64url');
}

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

/** An application password: 24 letters and digits in groups of four. @param random 0 ≤ x < 1 */
export function makeApplicationPassword(random: () => number): string {
	const groups: string[] = [];
	for (let group = 0; group < 6; group++) {
		let text = '';
		for (let place = 0; place < 4; place++) text += LETTERS[Math.floor(random() * LETTERS.length)];
		groups.push(text);
	}
	return groups.join(' ');
}

/** Blanks in an application password do not matter. */
export function withoutBlanks(password: string): string {
	return password.replace(/\s+/g, '');
}
