/** Files that are imported as text: vite does it for tests, the plugin in src/tools/bundle.mjs for the build. */
declare module '*?raw' {
	const text: string;
	export default text;
}
