/** The system user: who starts a run, beside the account that it signs in with. */

export function machineUser(): { user: string; host: string } {
	const os = process.getBuiltinModule('node:os');
	try {
		return { user: os.userInfo().username, host: os.hostname() };
	} catch {
		return { user: String(process.getuid?.() ?? 'unknown'), host: os.hostname() };
	}
}
