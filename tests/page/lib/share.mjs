// A browser for several tests, one after the other: prints the file that says where it is, for
// HPCTEST_BROWSER, and ends when its input does.

import fs from 'node:fs';
import path from 'node:path';
import { Browser } from './browser.mjs';

const browser = await Browser.start({ width: 1600, height: 1200 });
const file = path.join(browser.driver.folder, 'shared');
const { driver: { address }, session } = browser;
fs.writeFileSync(file, JSON.stringify({ address, session }));
console.log(file);
process.stdin.resume();
process.stdin.on('end', () => browser.close());
