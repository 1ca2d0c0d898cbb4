// Keys and pointer as actions of the WebDriver protocol.

// What has no character of its own has one of these in the protocol.
const codes = {
	Backspace: '\uE003', Tab: '\uE004', Enter: '\uE007', Shift: '\uE008', Control: '\uE009',
	Alt: '\uE00A', Escape: '\uE00C', Space: ' ', PageUp: '\uE00E', PageDown: '\uE00F',
	End: '\uE010', Home: '\uE011', ArrowLeft: '\uE012', ArrowUp: '\uE013', ArrowRight: '\uE014',
	ArrowDown: '\uE015', Insert: '\uE016', Delete: '\uE017', F1: '\uE031', F2: '\uE032',
	F3: '\uE033', F4: '\uE034', F5: '\uE035', F6: '\uE036', F7: '\uE037', F8: '\uE038',
	F9: '\uE039', F10: '\uE03A', F11: '\uE03B', F12: '\uE03C', Meta: '\uE03D', Plus: '+',
};

function code(name) {
	if (name in codes)
		return codes[name];
	if ([...name].length !== 1)
		throw new Error(`no key is named ${name}`);
	return name;
}

// 'Enter', 'a', 'Shift+Tab', 'Control+Plus': the actions of pressing and releasing it.
function press(chord) {
	const keys = chord === '+' ? ['+'] : chord.split('+').map(code);
	return [
		...keys.map((value) => ({ type: 'keyDown', value })),
		...keys.reverse().map((value) => ({ type: 'keyUp', value })),
	];
}

export function keyActions(chords) {
	return [{ type: 'key', id: 'keyboard', actions: chords.flatMap(press) }];
}

// Each character of a text is a key of its own.
export function typeActions(text) {
	const actions = [...text].flatMap((value) => [
		{ type: 'keyDown', value }, { type: 'keyUp', value },
	]);
	return [{ type: 'key', id: 'keyboard', actions }];
}

// origin: 'viewport' or an element, of which x and y count from its centre.
export function moveActions(origin, x, y) {
	return [{
		type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' },
		actions: [{ type: 'pointerMove', duration: 0, origin, x, y }],
	}];
}

export function clickActions(origin, x, y, { times = 1, button = 0 } = {}) {
	const [mouse] = moveActions(origin, x, y);
	for (let i = 0; i < times; i++)
		mouse.actions.push({ type: 'pointerDown', button }, { type: 'pointerUp', button });
	return [mouse];
}

export function dragActions(origin, x, y, dx, dy) {
	const [mouse] = moveActions(origin, x, y);
	mouse.actions.push(
		{ type: 'pointerDown', button: 0 },
		{ type: 'pointerMove', duration: 50, origin: 'pointer', x: dx, y: dy },
		{ type: 'pointerUp', button: 0 });
	return [mouse];
}

export function wheelActions(origin, x, y, deltaX, deltaY) {
	return [{
		type: 'wheel', id: 'wheel',
		actions: [{ type: 'scroll', duration: 0, origin, x, y, deltaX, deltaY }],
	}];
}
