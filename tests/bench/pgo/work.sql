-- Rows, indexes, joins and sums, in memory.
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, kind INTEGER, price REAL);
CREATE TABLE sale (item INTEGER, day INTEGER, count INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
	INSERT INTO item SELECT i, 'item ' || (i * 7919 % 20011), i % 37, i * 1.25 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
	INSERT INTO sale SELECT i * 48271 % 20000 + 1, i % 365, i % 9 FROM n;
CREATE INDEX by_item ON sale (item, day);
CREATE INDEX by_name ON item (name);
SELECT kind, count(*), sum(count * price) FROM sale JOIN item ON item.id = sale.item GROUP BY kind;
SELECT name, (SELECT sum(count) FROM sale WHERE item = id) AS sold FROM item ORDER BY sold DESC, name LIMIT 20;
SELECT day, count(DISTINCT item) FROM sale GROUP BY day ORDER BY 2 DESC LIMIT 5;
UPDATE sale SET count = count + 1 WHERE item IN (SELECT id FROM item WHERE name LIKE '%99%');
SELECT count(*) FROM item a JOIN item b ON a.kind = b.kind AND b.id = a.id + 37;
DELETE FROM sale WHERE day % 7 = 3;
SELECT sum(count), max(day), avg(item) FROM sale WHERE item BETWEEN 100 AND 15000;
