/** Certificates made on the spot: a CA, and what it signs for servers and clients, with whatever is to be wrong with them. */

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Identity {
	/** PEM. */
	cert: string;
	/** PEM, not encrypted. */
	key: string;
}

export interface Authority extends Identity {
	/** Signs a certificate for these DNS names and IPv4 addresses. */
	issue(request: { names?: string[]; addresses?: string[]; from?: Date; until?: Date }): Identity;
}

/** One DER value: a tag and its contents. */
function der(tag: number, ...contents: Buffer[]): Buffer {
	const body = Buffer.concat(contents);
	if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
	const length = Buffer.from(body.length.toString(16).padStart(4, '0'), 'hex');
	return Buffer.concat([Buffer.from([tag, 0x80 + length.length]), length, body]);
}

const sequence = (...contents: Buffer[]): Buffer => der(0x30, ...contents);
const oid = (...bytes: number[]): Buffer => der(0x06, Buffer.from(bytes));
const octets = (content: Buffer): Buffer => der(0x04, content);
const bits = (content: Buffer): Buffer => der(0x03, Buffer.from([0]), content);
const yes = der(0x01, Buffer.from([0xff]));

const ECDSA_WITH_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

function name(commonName: string): Buffer {
	return sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(commonName)))));
}

/** GeneralizedTime. */
function time(date: Date): Buffer {
	return der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+/g, '')}`));
}

function extension(id: number, value: Buffer, critical = false): Buffer {
	return sequence(oid(0x55, 0x1d, id), ...(critical ? [yes] : []), octets(value));
}

function pem(label: string, content: Buffer): string {
	const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
	return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

interface Contents {
	subject: string;
	issuer: string;
	publicKey: KeyObject;
	from: Date;
	until: Date;
	extensions: Buffer[];
}

/** A certificate as PEM, signed with the issuer's key (RFC 5280, section 4.1). */
function certificate({ subject, issuer, publicKey, from, until, extensions }: Contents, signer: KeyObject): string {
	const serial = Buffer.concat([Buffer.from([0x01]), randomBytes(8)]);
	const toBeSigned = sequence(
		der(0xa0, der(0x02, Buffer.from([2]))),
		der(0x02, serial),
		ECDSA_WITH_SHA256,
		name(issuer),
		sequence(time(from), time(until)),
		name(subject),
		publicKey.export({ type: 'spki', format: 'der' }),
		der(0xa3, sequence(...extensions)),
	);
	return pem('CERTIFICATE', sequence(toBeSigned, ECDSA_WITH_SHA256, bits(sign('sha256', toBeSigned, signer))));
}

const DAY = 86_400_000;
const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keyPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }) as string;
const keyId = (key: KeyObject): Buffer =>
	createHash('sha1')
		.update(key.export({ type: 'spki', format: 'der' }))
		.digest();

/** A new CA that nobody trusts yet. */
export function createAuthority(commonName = 'A CA made for a test'): Authority {
	const keys = newKeys();
	const now = Date.now();
	const authorityId = keyId(keys.publicKey);
	const cert = certificate(
		{
			subject: commonName,
			issuer: commonName,
			publicKey: keys.publicKey,
			from: new Date(now - 400 * DAY),
			until: new Date(now + 400 * DAY),
			extensions: [
				extension(0x13, sequence(yes), true),
				extension(0x0f, der(0x03, Buffer.from([1, 0x06])), true),
				extension(0x0e, octets(authorityId)),
			],
		},
		keys.privateKey,
	);
	return {
		cert,
		key: keyPem(keys.privateKey),
		issue({ names = [], addresses = [], from = new Date(now - DAY), until = new Date(now + 30 * DAY) }) {
			const own = newKeys();
			const alternatives = [
				...names.map((each) => der(0x82, Buffer.from(each))),
				...addresses.map((each) => der(0x87, Buffer.from(each.split('.').map(Number)))),
			];
			const extensions = [
				extension(0x23, sequence(der(0x80, authorityId))),
				...(alternatives.length > 0 ? [extension(0x11, sequence(...alternatives))] : []),
			];
			const subject = names[0] ?? addresses[0] ?? 'a client';
			const contents = { subject, issuer: commonName, publicKey: own.publicKey, from, until, extensions };
			return { cert: certificate(contents, keys.privateKey), key: keyPem(own.privateKey) };
		},
	};
}
