/** The words that the sample data is made of: names, products, subjects. Data only. */

interface TermWords {
	readonly slug: string;
	readonly name: string;
	readonly description: string;
	readonly color?: string;
}

const term = (slug: string, name: string, description: string, color?: string): TermWords => ({
	slug,
	name,
	description,
	...(color === undefined ? {} : { color }),
});

/** By taxonomy (interface section 1). */
export const termWords: Readonly<Record<string, readonly TermWords[]>> = {
	'ticket-tag': [
		term('refund', 'Refund', 'Money back was asked for'),
		term('shipping', 'Shipping', 'Parcels, couriers, addresses'),
		term('login', 'Login', 'Cannot sign in'),
		term('bug', 'Bug', 'Something behaves as it should not'),
		term('feature-request', 'Feature request', 'An idea for later'),
		term('invoice', 'Invoice', 'Invoices and receipts'),
		term('warranty', 'Warranty', 'Repairs and replacements'),
		term('vip', 'VIP', 'Customers with a service contract'),
		term('how-to', 'How to', 'Questions that the manual answers'),
		term('data-loss', 'Data loss', 'Something is gone'),
	],
	product: [
		term('aurora-router', 'Aurora Router', 'Home router, all models'),
		term('nimbus-backup', 'Nimbus Backup', 'Cloud backup subscription'),
		term('harbor-crm', 'Harbor CRM', 'Customer database for small firms'),
		term('lumen-lamp', 'Lumen Lamp', 'Smart desk lamp'),
		term('tideline-watch', 'Tideline Watch', 'Diving watch with an app'),
		term('pocket-reader', 'Pocket Reader', 'E-book reader'),
	],
	department: [
		term('technical-support', 'Technical support', 'Faults and set-up'),
		term('billing', 'Billing', 'Payments, invoices, refunds'),
		term('returns', 'Returns', 'Parcels that come back'),
		term('sales', 'Sales', 'Questions before an order'),
	],
	ticket_priority: [
		term('low', 'Low', 'Answer within a week', '#8bc34a'),
		term('normal', 'Normal', 'Answer within two days', '#2196f3'),
		term('high', 'High', 'Answer today', '#ff9800'),
		term('urgent', 'Urgent', 'Answer within the hour', '#f44336'),
	],
	ticket_channel: [
		term('email', 'Email', 'Came by mail'),
		term('web-form', 'Web form', 'Came through the contact page'),
		term('phone', 'Phone', 'Written down by an agent'),
		term('chat', 'Chat', 'Came through the chat window'),
	],
};

/** A custom field of the service; tickets hold a value for each. */
export interface CustomField {
	name: string;
	label: string;
	control: 'text' | 'url' | 'textarea' | 'date' | 'select' | 'checkbox';
	options?: readonly string[];
}

export const customFields: readonly CustomField[] = [
	{ name: 'order_number', label: 'Order number', control: 'text' },
	{ name: 'website', label: 'Website', control: 'url' },
	{ name: 'severity', label: 'Severity', control: 'select', options: ['minor', 'major', 'critical'] },
	{ name: 'serial_number', label: 'Serial number', control: 'text' },
	{ name: 'warranty_until', label: 'Warranty until', control: 'date' },
	{ name: 'refund_requested', label: 'Refund requested', control: 'checkbox' },
	{ name: 'internal_note', label: 'Internal note', control: 'textarea' },
];

/** The roles that a user can have. */
export const roles = ['administrator', 'supervisor', 'agent', 'customer'] as const;

export const locales = ['', 'en_US', 'en_GB', 'de_DE', 'fr_FR', 'es_ES', 'nl_NL', 'pl_PL', 'ja'] as const;

export const firstNames =
	'Ada Amir Anna Beatriz Carlos Chidi Clara Daniel Dilan Elena Emeka Erik Fatima Felix Grace Hannah Hiro Ines Ivan Jana José Jun Katya Lars Leila Liam Lucía Maja Marcus Mei Nadia Noah Oksana Omar Paula Priya Ravi Rosa Samuel Sofia Tariq Thea Tomás Uma Viktor Wanjiru Yara Zoë'.split(
		' ',
	);

export const lastNames =
	'Abara Andersson Baker Bauer Berg Castillo Chen Costa Dubois Eriksen Fischer Fofana García Haddad Hansen Hughes Ibrahim Ito Jansen Kamau Kaya Kowalski Kumar Larsen Lindqvist Marino Mbeki Meyer Moreau Murphy Nakamura Novak Okafor Olsen Park Petrov Quispe Rossi Santos Schmidt Silva Singh Sørensen Tanaka Torres Vargas Weber Yilmaz'.split(
		' ',
	);

/** What a ticket is about: its subject and first message (`%p` is the product, `%o` the order), tags, department, replies. */
export interface Topic {
	/** The products it can be about. */
	readonly products: readonly string[];
	readonly subject: string;
	readonly content: string;
	readonly tags: readonly string[];
	readonly department: string;
	readonly replies: readonly string[];
}

const devices = ['aurora-router', 'lumen-lamp', 'tideline-watch', 'pocket-reader'];
const accounts = ['nimbus-backup', 'harbor-crm'];

export const topics: readonly Topic[] = [
	{
		subject: 'Cannot sign in to %p',
		products: accounts,
		content:
			'Since yesterday evening the sign-in page of %p tells me that my password is wrong. I have reset it twice and the new one is refused as well.',
		tags: ['login'],
		department: 'technical-support',
		replies: [
			'Please clear the cookies of the sign-in page and try once more; we have just reset the lock on your account.',
			'Thank you, that did it.',
		],
	},
	{
		subject: 'Order %o has not arrived',
		products: devices,
		content: 'I ordered a %p two weeks ago (order %o). The tracking page has not moved for six days. Where is it?',
		tags: ['shipping'],
		department: 'returns',
		replies: [
			'The courier found your parcel in the wrong depot. It should be with you within two days.',
			'Still nothing here, I am afraid.',
			'We are sending a second one today, free of charge.',
		],
	},
	{
		subject: 'Refund for order %o',
		products: devices,
		content:
			'The %p is not what I expected and I sent it back last week. When will the money for order %o be returned?',
		tags: ['refund', 'invoice'],
		department: 'billing',
		replies: ['Your parcel reached us this morning and the refund is on its way. Banks take up to five days.'],
	},
	{
		subject: '%p loses its settings after an update',
		products: devices,
		content:
			'After the latest update my %p starts with the factory settings every time it is switched off. This happened three times now.',
		tags: ['bug', 'data-loss'],
		department: 'technical-support',
		replies: [
			'Could you tell us the version that is shown under Settings, About?',
			'It says 4.2.1.',
			'Version 4.2.2 fixes this. It is offered to all devices tonight.',
		],
	},
	{
		subject: 'Invoice with our VAT number, order %o',
		products: [...accounts, ...devices],
		content:
			'Please send the invoice for order %o again, with our VAT number on it. Our accountant needs it this week.',
		tags: ['invoice'],
		department: 'billing',
		replies: ['The corrected invoice is attached to this ticket.'],
	},
	{
		subject: 'Does %p work with older phones?',
		products: ['lumen-lamp', 'tideline-watch'],
		content: 'I would like to buy a %p for my mother. Her phone is six years old. Will the app run on it?',
		tags: ['how-to'],
		department: 'sales',
		replies: ['The app needs a phone from the last seven years, so hers will do.', 'Wonderful, then I will order one.'],
	},
	{
		subject: 'Warranty: display of %p is cracked',
		products: ['tideline-watch', 'pocket-reader'],
		content:
			'The display of my %p cracked on its own overnight. It is eleven months old (order %o). Is that covered by the warranty?',
		tags: ['warranty'],
		department: 'returns',
		replies: [
			'It is. You will find a return label in your mailbox.',
			'Sent off today.',
			'The replacement left our house this afternoon.',
		],
	},
	{
		subject: 'Idea: dark mode for %p',
		products: ['harbor-crm', 'nimbus-backup', 'pocket-reader'],
		content: 'I use %p late in the evening and the white pages are blinding. A dark mode would be lovely.',
		tags: ['feature-request'],
		department: 'technical-support',
		replies: ['Thank you, we have passed this on. You are the fortieth to ask.'],
	},
	{
		subject: 'Charged twice for %p',
		products: [...accounts, ...devices],
		content: 'My card was charged twice for the same order, %o. Please return one of the two payments.',
		tags: ['refund', 'vip'],
		department: 'billing',
		replies: ['You are right, and we are sorry: the second payment has been returned.', 'Received, thanks.'],
	},
	{
		subject: 'How do I move %p to another account?',
		products: [...accounts, ...devices],
		content: 'My sister takes over my %p. How can it be moved to her account without losing what is on it?',
		tags: ['how-to'],
		department: 'technical-support',
		replies: ['Under Settings, Owner there is a button for it. Both of you receive a mail to confirm.'],
	},
];

export const attachmentWords = [
	{ title: 'Screenshot of the error', file: 'screenshot', extension: 'png', mime: 'image/png' },
	{ title: 'Photo of the damage', file: 'photo', extension: 'jpg', mime: 'image/jpeg' },
	{ title: 'Invoice', file: 'invoice', extension: 'pdf', mime: 'application/pdf' },
	{ title: 'Log file', file: 'device-log', extension: 'txt', mime: 'text/plain' },
] as const;
