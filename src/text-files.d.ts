/** Files imported as text; for rolldown and vite, src/tools/bundle.mjs reads them. */
declare module '*.md' {
	const text: string;
	export default text;
}

declare module '*.css' {
	const text: string;
	export default text;
}

declare module '*/browser.js' {
	const text: string;
	export default text;
}

declare module '*.bash' {
	const text: string;
	export default text;
}

declare module '*.zsh' {
	const text: string;
	export default text;
}

declare module '*.fish' {
	const text: string;
	export default text;
}

declare module '*.ps1' {
	const text: string;
	export default text;
}
