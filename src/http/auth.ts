/** Who calls, and through which proxy: the parts of a connection that a caller gives. */

/** Credentials, resolved and in the clear; they leave this room only as a header. */
export type Auth =
	| { scheme: 'basic'; username: string; password: string }
	| { scheme: 'bearer'; token: string }
	| { scheme: 'header'; name: string; value: string }
	| { scheme: 'none' };

export interface ProxySettings {
	httpProxy?: string | undefined;
	httpsProxy?: string | undefined;
	noProxy?: string | undefined;
}
