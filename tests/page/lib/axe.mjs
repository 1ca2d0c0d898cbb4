// Accessibility, as axe-core sees it.

import fs from 'node:fs';

const axe = fs.readFileSync(new URL('../vendor/axe-core/axe.min.js', import.meta.url), 'utf8');

// Serious and critical violations, a line for each element. The page's policy forbids scripts from
// elsewhere, but not those that the driver runs. Only colours differ between light and dark.
export async function violations(browser, onlyColors = false) {
	if (!await browser.run(() => 'axe' in window))
		await browser.inject(axe);
	const found = await browser.run(async (colors) => {
		const only = colors ? { runOnly: ['color-contrast'] } : {};
		const { violations: all, passes } = await window.axe.run(document,
			{ resultTypes: ['violations'], ...only });
		return {
			rules: passes.length,
			list: all.filter((v) => ['serious', 'critical'].includes(v.impact)).flatMap((v) =>
				v.nodes.map((n) => `${v.impact}: ${v.id}: ${n.html.slice(0, 200)}: ${
					n.failureSummary.replace(/\s+/g, ' ')}`)),
		};
	}, onlyColors);
	if (found.rules < (onlyColors ? 1 : 5))
		throw new Error(`only ${found.rules} rules had something to look at`);
	return found.list;
}
