/** What is in force where nobody says anything else; by itself, so that help does not load what reads settings. */

/** How requests may be signed. */
export const schemes = ['basic', 'bearer', 'header', 'none'] as const;

export const initialSettings = {
	scheme: 'basic',
	/** Seconds. */
	timeout: 30,
	protected: false,
	allowHttp: false,
	productPrefix: 'support',
	shopPrefix: 'shop',
	membershipPrefix: 'shopm',
} as const;
