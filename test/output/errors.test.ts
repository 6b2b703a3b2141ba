import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ExitCode, FailedError, SupportctlError, UsageError } from '../../src/errors.js';
import { exitCodeOfError, renderError } from '../../src/output/errors.js';

const refused = new SupportctlError('the service refused ann: Sorry\x1b[2J', ExitCode.refused, {
	code: 'rest_forbidden',
	details: ['status: is not one of …', 'assignee: no such user'],
	hint: 'Sign in again: supportctl login',
	data: { status: 401, password: 'marker', code: 'other' },
});

function thrownBy(action: () => unknown): unknown {
	try {
		action();
	} catch (error) {
		return error;
	}
	throw new Error('nothing was thrown');
}

describe('renderError', () => {
	it('prints the message, the reasons and the next step, with escapes made visible', () => {
		expect(renderError(refused)).toBe(
			[
				'error: the service refused ann: Sorry\\x1b[2J',
				'  status: is not one of …',
				'  assignee: no such user',
				'hint: Sign in again: supportctl login',
				'',
			].join('\n'),
		);
	});

	it('is one JSON object on one line with --json, where data adds and replaces nothing', () => {
		const text = renderError(refused, { json: true });
		expect(text.indexOf('\n')).toBe(text.length - 1);
		expect(JSON.parse(text)).toEqual({
			error: {
				code: 'rest_forbidden',
				message: 'the service refused ann: Sorry\x1b[2J',
				hint: 'Sign in again: supportctl login',
				exitCode: 4,
				details: ['status: is not one of …', 'assignee: no such user'],
				status: 401,
				password: '[redacted]',
			},
		});
	});

	it('follows the causes, without repeating what was said', () => {
		const root = new Error('ECONNREFUSED 127.0.0.1:9');
		const error = new FailedError('no connection', { cause: new Error('connect failed', { cause: root }) });
		expect(renderError(error)).toBe(
			'error: no connection\n  because: connect failed\n  because: ECONNREFUSED 127.0.0.1:9\n',
		);
		const repeated = new FailedError('no connection: refused', { cause: new Error('refused') });
		expect(renderError(repeated)).toBe('error: no connection: refused\n');
		const circle = new Error('a');
		circle.cause = circle;
		expect(renderError(circle)).toContain('unexpected error: a');
	});

	it('calls an unexpected error a bug, but not an error of the operating system', () => {
		expect(renderError(new TypeError('x is not a function'))).toBe(
			'error: unexpected error: x is not a function\nhint: This is a bug in supportctl. Please report it with the output of --debug.\n',
		);
		expect(renderError('just text')).toContain('error: unexpected error: just text');
		const missing = renderError(thrownBy(() => readFileSync('/nowhere/at/all')));
		expect(missing).toBe("error: ENOENT: no such file or directory, open '/nowhere/at/all'\n");
	});

	it('shows the stack only with --debug', () => {
		expect(renderError(refused)).not.toContain('errors.test');
		expect(renderError(refused, { debug: true })).toContain('errors.test');
		expect(JSON.parse(renderError(refused, { json: true, debug: true })).error.stack.join()).toContain('errors.test');
	});

	it('hides what URLs carry in message, hint, details, causes, data and stack', () => {
		const url = 'https://ann:marker-1@desk.example/?token=marker-1';
		const error = new FailedError(`sent ${url}`, {
			hint: `not ${url}`,
			details: [url],
			data: { deep: [{ text: url }] },
			cause: new Error(`${url} failed`),
		});
		for (const json of [true, false]) {
			expect(renderError(error, { json, debug: true })).not.toContain('marker-1');
		}
	});

	it('takes several lines of a message apart', () => {
		expect(renderError(new UsageError('two complaints\nrow 1: x\nrow 2: y'))).toBe(
			'error: two complaints\n  row 1: x\n  row 2: y\n',
		);
	});
});

describe('exitCodeOfError', () => {
	it('is the error’s own, and 1 for anything else', () => {
		expect([
			exitCodeOfError(refused),
			exitCodeOfError(new UsageError('x')),
			exitCodeOfError(new Error('x')),
			exitCodeOfError(0),
		]).toEqual([4, 2, 1, 1]);
	});
});

it('shows no system error below the words for it', () => {
	const cause = Object.assign(new Error("ENOENT: no such file or directory, open 'x'"), {
		code: 'ENOENT',
		syscall: 'open',
	});
	const error = new UsageError("can't read x: file not found", { cause });
	expect(renderError(error)).toBe("error: can't read x: file not found\n");
});
