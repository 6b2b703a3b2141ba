/** A person who replies questions in an order that the test wrote down. */

import type { Prompts } from '../../src/io/context.js';

/** A question's beginning and the reply to it. */
export type ScriptedAnswer = [question: RegExp, reply: string | boolean];

export interface ScriptedPrompts extends Prompts {
	/** Questions that were asked so far. */
	readonly asked: string[];
}

/** Answers each question in turn; one that does not match, or is one too many, fails the test. */
export function scriptedPrompts(...script: ScriptedAnswer[]): ScriptedPrompts {
	const asked: string[] = [];
	const reply = (question: string): string | boolean => {
		asked.push(question);
		const next = script.shift();
		if (next === undefined) throw new Error(`unexpected question: ${question}`);
		if (!next[0].test(question)) throw new Error(`asked ${JSON.stringify(question)}, expected ${next[0]}`);
		return next[1];
	};
	return {
		available: true,
		asked,
		async text(question, { initial, check } = {}) {
			const given = reply(question) as string;
			const text = given === '' ? (initial ?? '') : given;
			const verdict = check?.(text) ?? true;
			if (verdict !== true) throw new Error(`${JSON.stringify(text)} was refused: ${verdict}`);
			return text;
		},
		secret: async (question) => reply(question) as string,
		confirm: async (question) => reply(question) as boolean,
	};
}
