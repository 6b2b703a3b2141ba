import { expect, it } from 'vitest';
import { isLoopbackAddress, mayBeLoopback } from '../src/net.js';

it.each(['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
	'%s is a loopback address',
	(address) => expect(isLoopbackAddress(address)).toBe(true),
);

it.each(['localhost', '128.0.0.1', '0.0.0.0', '::', '::2', '192.0.2.1', '::ffff:10.0.0.1', '127.1', ''])(
	'%s is none',
	(address) => expect(isLoopbackAddress(address)).toBe(false),
);

it('a name may be loopback only where it is reserved for that', () => {
	for (const host of ['localhost', 'LOCALHOST.', 'x.localhost', '[::1]', '127.0.0.1']) {
		expect(mayBeLoopback(host), host).toBe(true);
	}
	for (const host of ['localhost.example.com', '127.0.0.1.example.com', 'notlocalhost', 'desk.example.com']) {
		expect(mayBeLoopback(host), host).toBe(false);
	}
});
