// Names that a profiled program may choose, made to break a page, its tables, copies and exports.
// What is not UTF-8, and control characters, hpcprof writes as \xNN: such names are here as they
// come from it, and also raw, as a page must not depend on who wrote its data.

const FLAG = 'window.__ran=1';

// Each of these would set window.__ran if it were taken for markup or code.
const running = [
	`<script>${FLAG}</script>`, `</script><script>${FLAG}</script>`, `</SCRIPT ><script>${FLAG}//`,
	`<!--<script>${FLAG}</script>`, `--><script>${FLAG}</script>`, `--!><script>${FLAG}</script>`,
	`]]><script>${FLAG}</script>`, `</style><script>${FLAG}</script>`,
	`</title><script>${FLAG}</script>`, `</textarea><script>${FLAG}</script>`,
	`</template><script>${FLAG}</script>`, `</noscript><script>${FLAG}</script>`,
	`</svg><script>${FLAG}</script>`, `</text><script>${FLAG}</script>`,
	`<svg><script>${FLAG}</script></svg>`, `<svg onload=${FLAG}>`, `<svg/onload=${FLAG}//`,
	`"><img src=x onerror=${FLAG}>`, `'><img src=x onerror=${FLAG}>`, `<img src=x onerror=${FLAG}>`,
	`<img src=x: onerror="${FLAG}"`, `<iframe srcdoc="<script>parent.${FLAG}</script>">`,
	`<iframe src="javascript:parent.${FLAG}">`, `<a href="javascript:${FLAG}">x</a>`,
	`<body onload=${FLAG}>`, `<input autofocus onfocus=${FLAG}>`, `<details open ontoggle=${FLAG}>`,
	`<video><source onerror=${FLAG}></video>`, `<audio src=x onerror=${FLAG}>`,
	`<object data="javascript:${FLAG}">`, `<embed src="javascript:${FLAG}">`,
	`<math><mtext><style><img src=x onerror=${FLAG}></style></mtext></math>`,
	`<form><button formaction="javascript:${FLAG}" autofocus>x`,
	`<base href="javascript:${FLAG}//">`,
	`<meta http-equiv="refresh" content="0;url=javascript:${FLAG}">`,
	`<link rel=stylesheet href="data:text/css,*{}" onload=${FLAG}>`,
	`<style>@import "x"</style><style onload=${FLAG}>`, `<marquee onstart=${FLAG}>x</marquee>`,
	`<x onclick=${FLAG} tabindex=1 onfocus=${FLAG}>`, `" onmouseover="${FLAG}`,
	`' onmouseover='${FLAG}`, `\` onmouseover=\`${FLAG}`, `x" autofocus onfocus="${FLAG}" y="`,
	`javascript:${FLAG}`, `data:text/html,<script>${FLAG}</script>`, `');${FLAG};('`,
	`");${FLAG};("`, `\`;${FLAG};\``, `\\");${FLAG};//`, `\${${FLAG}}`, `{{${FLAG}}}`,
	`{{constructor.constructor('${FLAG}')()}}`, `<%= ${FLAG} %>`, `#{${FLAG}}`, `[[${FLAG}]]`,
	`&lt;script&gt;${FLAG}&lt;/script&gt;`, `&#60;script>${FLAG}</script>`,
	`\\u003cscript\\u003e${FLAG}\\u003c/script\\u003e`, `%3Cscript%3E${FLAG}%3C/script%3E`,
	`\u2028${FLAG}\u2029`, `+ADw-script+AD4-${FLAG}+ADw-/script+AD4-`,
	`<scr<script>ipt>${FLAG}</scr</script>ipt>`, `<<script>${FLAG}//<</script>`,
	`<!DOCTYPE x [<!ENTITY e SYSTEM "file:///x">]>&e;`, `<?xml version="1.0"?><x>`,
	`<?php ${FLAG} ?>`, `<![CDATA[<script>${FLAG}</script>]]>`, `<use href="#x"/>`,
	`<foreignObject><iframe src="javascript:${FLAG}"/></foreignObject>`,
	`<animate onbegin=${FLAG} attributeName=x dur=1s>`,
	`<set attributeName="href" to="javascript:x">`, `<title><img src=x onerror=${FLAG}></title>`,
	`std::vector<int, a<b>>::at<img src=x onerror=${FLAG}>`, `operator<<<script>${FLAG}</script>`,
	`<plaintext>`, `<xmp>`, `<noembed>`, `<template>`, `<select>`, `<!--`, `-->`, `<!`, `</`, `<`,
	`>`, `&`, `&amp;`, `&amp;amp;`, `&nbsp;`, `&#x0;`, `&#65;`, `"`, `'`, '`', `\\`, `\\\\`, `\\n`,
	`\\u0041`, `\\x41`, `%s%n%x`, `%00`, `%0a`, `$&`, `$1`, '$`', `$'`, `$$`,
];

// Members that objects have already, and words with a meaning.
const words = [
	'__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'toJSON',
	'then', 'length', 'name', 'map', 'get', 'set', 'undefined', 'null', 'true', 'false', 'NaN',
	'Infinity', '-Infinity', '0', '-0', '-1', '1e999', '0x10', '007', '1,234', '{}', '[]',
	'[object Object]', '__defineGetter__', '__lookupSetter__', 'isPrototypeOf', 'arguments',
	'caller', 'callee', 'eval', '[partial call paths]', '(root)', 'all', 'CON', 'NUL', '..',
	'../../x', '/', '//', 'C:\\x', 'file:///', '', ' ', '  two  spaces  ', ' leading', 'trailing ',
	'.', '-', '--help', '(', ')', '[', ']', '[a-', '(?<', 'a{1000000}', '.*.*.*.*x', '(a+)+$', '^',
	'$', '|', '*', '+', '?', '/x/', '/x', '/x/i',
];

// What spreadsheets take for formulas, and what is quoted in CSV.
const formulas = [
	'=1+1', '=cmd|\' /C calc\'!A0', '+1+1', '-1+1', '@SUM(1+1)', '=HYPERLINK("x","y")', '\t=1+1',
	'\r=1+1', '|x', '%x', '=1,2', '"=1+1"', 'a,b', 'a;b', 'a\tb', 'a"b', '""', '","', 'a\nb',
	'a\r\nb', 'a\rb', '\n', '\r\n', '\ufeff', '\ufeffa', 'sep=;', '\'=1+1', '=\u0000', '；＝1+1',
	'＝1+1',
];

const unicode = [
	'\u202Eevil\u202C', '\u202E\u202E\u202Ecnt.exe', 'a\u2067b\u2066c\u2069d\u2069',
	'\u200Fשלום\u200F', 'שלום', 'مرحبا', 'a\u061Cb', '\u200Bzero\u200Bwidth\u200B', '\u200D',
	'\u200C', '\u2060', '\uFEFFbom',
	'a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308'.repeat(1),
	'Z' + '\u0335\u0336\u0337'.repeat(200), 'e\u0301', '\u00E9', 'ﬀ', 'ß', 'İ', 'ı', 'ſ', '\u212A',
	'𝕏', '😀', '👩‍👩‍👧‍👦', '🇩🇪', '👍🏽', '\u{E0001}\u{E0041}', '名前', '이름', 'नाम', 'ชื่อ', '\u2028',
	'\u2029', '\u0085', '\u00A0', '\u3000', '\u00AD', '\u180E', '\uFFFD', '\uFFFE', '\uFFFF',
	'\u{1FFFE}', '\u{10FFFF}', '\uE000', '\uFDD0', '\u0000', 'a\u0000b', '\u0001', '\b', '\t', '\v',
	'\f', '\u001B[31mred\u001B[0m', '\u001B]0;title\u0007', '\u007F', '\u009B31m', '\uD800',
	'\uDC00', 'a\uD83D', '\uDE00b', '\uDC00\uD800', '\\x00', '\\xff\\xfe', 'a\\xc3', '\\x1b[31m',
	'na\u00EFve',
];

const long = [
	'a'.repeat(100000), '<'.repeat(5000), '<img src=x onerror=window.__ran=1>'.repeat(300),
	'\u202E'.repeat(2000), '😀'.repeat(3000), 'word '.repeat(4000), '('.repeat(3000),
	'a<'.repeat(3000) + 'b', '"'.repeat(3000), '&amp;'.repeat(2000), '\u0301'.repeat(3000),
	'::'.repeat(3000), '名'.repeat(3000), '\n'.repeat(500),
];

export const hostile = [...new Set([...running, ...words, ...formulas, ...unicode, ...long])];
