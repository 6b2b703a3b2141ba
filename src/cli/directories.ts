/** Names are looked up with the session's connection. */

import { createDirectories, type Directories } from '../bulk/lists/directory.js';
import { ExitCode, SupportctlError } from '../errors.js';
import type { Client } from '../http/client.js';
import { type SendOptions, send } from '../http/send.js';
import { usernameOf } from '../net.js';
import { openPalette } from '../output/colour.js';
import { createProgress, type Progress } from '../output/progress.js';
import { asksForJson } from '../output/sanitise.js';
import type { Invocation } from './command.js';
import { warn } from './notices.js';
import { type Session, signInAgain } from './session.js';

type Caller = Pick<Invocation, 'context' | 'options'>;

/** Connects once a name has to be looked up. */
export function openDirectories(
	{ dialect }: Session,
	options: SendOptions,
	reach: () => Promise<{ session: Session; client: Client }>,
	caller: Caller,
): Directories {
	const screen = createLookupScreen(caller);
	const onRetry: SendOptions['onRetry'] = (...facts) => {
		options.onRetry?.(...facts);
		screen.onRetry();
	};
	return createDirectories({
		...screen,
		dialect,
		async send(request) {
			const { session, client } = await reach();
			// Lists don't say what was asked for.
			const found = await send(client, { ...request, alone: true }, { ...options, onRetry });
			const { signedOut, code = 'unauthorized', message = '' } = found;
			if (!signedOut) return found;
			const why = `the service refused the credentials (401): ${message.replace(/\.$/, '')}; nothing was sent`;
			throw new SupportctlError(why, ExitCode.refused, { code, hint: signInAgain(session.connection) });
		},
		async account() {
			const { auth } = (await reach()).session.connection;
			return auth.scheme === 'none' ? undefined : { username: usernameOf(auth) };
		},
	});
}

/** Names are mostly found before anybody asks what the program does. */
const UNNOTICED_MS = 1000;

/** At a terminal, a line says what is waited for, such as names, once that takes long or one is tried again. */
function createLookupScreen({ context, options }: Caller) {
	const isShown = context.stderr.isTTY && options.quiet !== true && !asksForJson(context.argv);
	let progress: Progress | undefined;
	let done = 0;
	let underWay = 0;
	let note: string | undefined;
	let since: number | undefined;
	async function update(): Promise<void> {
		if (!isShown) return;
		const palette = await openPalette(context, context.stderr);
		progress ??= createProgress(context, { palette });
		// By now the last response may be there.
		if (underWay > 0) progress.update({ done, note });
	}
	return {
		tell(text: string): void {
			progress?.clear();
			warn(context, [text]);
		},
		onRetry(): void {
			void update();
		},
		onWait(response: Promise<unknown>, what: string): void {
			// What comes next is counted anew.
			if (what !== note) done = 0;
			note = what;
			underWay++;
			since ??= context.clock.monotonic();
			if (context.clock.monotonic() - since >= UNNOTICED_MS) void update();
			const end = (): void => {
				done++;
				underWay--;
				if (underWay === 0) progress?.clear();
			};
			response.then(end, end);
		},
	};
}
