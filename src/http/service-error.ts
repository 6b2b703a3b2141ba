/** How a service says no in JSON: in an error object of its own, or inside an answer that looks like a yes. */

import { isObject } from '../api/values.js';
import type { CleanWords } from './content.js';

/** What a service says of an error. */
export interface ServiceError {
	code?: string;
	message?: string;
	/** By the field that is to blame. */
	reasons?: Record<string, string>;
}

/** The service's error object: `{code, message, data: {status, params}}`, each part of which may be missing. */
export function readServiceError(value: unknown, cleanWords: CleanWords): ServiceError {
	if (!isObject(value)) return {};
	const clean = (text: string): string => cleanWords(htmlText(text));
	const result: ServiceError = {};
	if (typeof value.code === 'string' || typeof value.code === 'number') result.code = String(value.code);
	if (typeof value.message === 'string' && value.message !== '') result.message = clean(value.message);
	else if (typeof value.error === 'string') result.message = clean(value.error);
	const params = isObject(value.data) ? value.data.params : undefined;
	if (Array.isArray(params)) {
		result.reasons = Object.fromEntries(params.map((name) => [String(name), 'is missing']));
	} else if (isObject(params)) {
		result.reasons = Object.fromEntries(
			Object.entries(params).map(([name, reason]) => [
				name,
				clean(typeof reason === 'string' ? reason : JSON.stringify(reason)),
			]),
		);
	}
	return result;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

const TAG =
	/<\/?(a|abbr|b|big|blockquote|br|center|code|del|div|em|font|form|h[1-6]|hr|i|img|input|label|li|ol|p|pre|s|script|small|span|strong|style|sub|sup|table|tbody|td|th|tr|u|ul)(?:[\s/][^<>]{0,2000})?>/gi;

const INLINE = /^(?:a|abbr|b|big|code|del|em|font|i|label|s|small|span|strong|sub|sup|u)$/i;

const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,5}));/gi;

/** A message as text: services write theirs for a browser, with tags and entities. */
function htmlText(html: string): string {
	const text = html.replace(TAG, (_, name: string) => (INLINE.test(name) ? '' : ' '));
	return (text === html ? text : text.replace(/ {2,}/g, ' ').trim()).replace(
		ENTITY,
		(whole, decimal?: string, hex?: string, name?: string) => {
			if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
			const point = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
			return point > 0x10ffff ? whole : String.fromCodePoint(point);
		},
	);
}

/** What a service error consists of, and nothing else does. */
const ERROR_KEYS = new Set(['code', 'message', 'data', 'additional_errors']);

/** What an answer's own names may mean by themselves. */
export interface RefusalRules {
	/** They are chosen by others: `error` may be one of them, and says nothing of the request. */
	freeNames?: boolean;
	/** `success: false` is an answer to what was asked. */
	successIsAnswer?: boolean;
}

/** Some proxies and plugins turn an error's status into 200; the body still says that it is one. */
export function refusalInside(rules: RefusalRules, value: unknown, clean: CleanWords): ServiceError | undefined {
	if (!isObject(value)) return undefined;
	const { code, message, data, error, errors } = value;
	const isCoded = (typeof code === 'string' || typeof code === 'number') && typeof message === 'string';
	if (isCoded && isObject(data) && isRefusal(data.status)) return readServiceError(value, clean);
	if (rules.freeNames) return undefined;
	if (isCoded && Object.keys(value).every((key) => ERROR_KEYS.has(key))) return readServiceError(value, clean);
	const hasError =
		(typeof error === 'string' && error !== '') || error === true || isObject(error) || !isEmptyList(errors);
	const saysNo = (value.success === false || value.ok === false) && rules.successIsAnswer !== true;
	if (!hasError && !saysNo && !isRefusal(value.status)) return undefined;
	const first = Array.isArray(errors) ? errors[0] : undefined;
	const inner = readServiceError([error, first].find(isObject) ?? value, clean);
	const said = inner.message ?? (typeof first === 'string' ? clean(htmlText(first)) : undefined);
	return { code: inner.code ?? 'error_in_answer', message: said ?? 'the answer says that it failed' };
}

/** Whether a number in an answer is a status that says no. */
function isRefusal(status: unknown): boolean {
	return typeof status === 'number' && status >= 400;
}

/** Whether no errors are listed, one way or another. */
function isEmptyList(errors: unknown): boolean {
	return isObject(errors) ? Object.keys(errors).length === 0 : !Array.isArray(errors) || errors.length === 0;
}
