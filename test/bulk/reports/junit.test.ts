import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeXml } from '../../../src/bulk/reports/escape.js';
import { textOf } from '../../support/any-text.js';
import { HOSTILE, reportOf } from '../../support/report.js';
import { elementsOf, readXml, type XmlElement } from '../../support/xml.js';

/** What https://github.com/jenkinsci/xunit-plugin has in junit-10.xsd. */
const ALLOWED: Readonly<
	Record<string, { attributes: readonly string[]; required?: readonly string[]; children: readonly string[] }>
> = {
	testsuites: { attributes: ['name', 'time', 'tests', 'failures', 'errors'], children: ['testsuite'] },
	testsuite: {
		attributes: [
			...['name', 'tests', 'failures', 'errors', 'group', 'time', 'skipped', 'timestamp'],
			...['hostname', 'id', 'package', 'file', 'log', 'url'],
		],
		required: ['name', 'tests', 'failures', 'errors'],
		children: ['testsuite', 'properties', 'testcase', 'system-out', 'system-err'],
	},
	properties: { attributes: [], children: ['property'] },
	property: { attributes: ['name', 'value'], required: ['name', 'value'], children: [] },
	testcase: {
		attributes: ['name', 'time', 'classname', 'group'],
		required: ['name'],
		children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
	},
	skipped: { attributes: ['type', 'message'], children: [] },
	error: { attributes: ['type', 'message'], children: [] },
	failure: { attributes: ['type', 'message'], children: [] },
	'system-out': { attributes: [], children: [] },
};
const SUREFIRE_TIME = /^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$/;

describe('the JUnit report', () => {
	it('shows failed rows as failed tests, skipped as skipped, unknown ones and those never reached as errors, and says what differs', async () => {
		const xml = await reportOf('junit');
		expect(xml).toContain('tests="8" failures="3" errors="2" time="1.234" skipped="1"');
		const cases = [...xml.matchAll(/<testcase [^>]*name="([^"]*)"[^>]*?(?:\/>|>(.*?)<\/testcase>)/gs)].map(
			([, name, inside]) => [name, /<(\w+)/.exec(inside ?? '')?.[1]],
		);
		expect(cases).toEqual([
			['row 1: ticket 1', undefined],
			['row 2: ticket 2', 'failure'],
			['row 3: ticket 3', undefined],
			['row 4: ticket 4', 'error'],
			['row 5: ticket 5', 'skipped'],
			['row 6: ticket', 'failure'],
			['row 7: ticket 7', 'failure'],
			['rows that were not sent', 'error'],
		]);
		expect(xml).toContain('2 rows were not sent; continue with: supportctl run resume 20261121-074512-k3f9x');
	});

	it('says in the text of a failure which line it is about and which values differ', async () => {
		expect(await reportOf('junit')).toContain(
			'type="differs">edits.csv line 8&#10;status is &quot;read&quot;, not &quot;hold&quot;</failure></testcase>',
		);
	});

	it('has only the elements and attributes that the schema of the xUnit plugin of Jenkins allows', async () => {
		const root = readXml(await reportOf('junit'));
		const check = (element: XmlElement): void => {
			const known = ALLOWED[element.name];
			expect(known, `<${element.name}>`).toBeDefined();
			expect(known?.attributes).toEqual(expect.arrayContaining(Object.keys(element.attributes)));
			expect(known?.children).toEqual(expect.arrayContaining(element.children.map(({ name }) => name)));
			for (const name of known?.required ?? []) expect(element.attributes).toHaveProperty(name);
			const { time } = element.attributes;
			if (time !== undefined) expect(time).toMatch(SUREFIRE_TIME);
			for (const child of element.children) check(child);
		};
		expect(root.name).toBe('testsuites');
		check(root);
	});

	it('is well-formed XML that holds what the service said', async () => {
		const cases = elementsOf(readXml(await reportOf('junit')), 'testcase');
		expect(cases).toHaveLength(8);
		const shown = cases[1]?.children[0]?.attributes.message;
		expect(shown).toContain('no <b>&"\\x00\\x1b[2J');
		expect(shown).toContain(']]> |pipe| `code` @everyone\r\n::error::x \\ud800');
	});

	it('holds any text as it is, but for what XML can not hold and what controls a terminal or the direction (property)', () => {
		const notInXml = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
		const controls = /[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
		const storable = (text: string): string => text.replace(notInXml, '\ufffd').replace(controls, '\ufffd');
		fc.assert(
			fc.property(textOf(), (text) => {
				const { attributes } = readXml(`<a b="${escapeXml(text)}"/>`);
				expect(attributes.b).toBe(storable(text));
			}),
			{ examples: [[HOSTILE], ['\uffff\u0000\u0085\u2028'], ['a\u202etxt.exe\u2069\u009b31m']] },
		);
	});
});
