# Arrays, fields, strings and numbers; -v n is how often.
BEGIN {
	for (k = 0; k < n; k++) {
		for (i = 0; i < 20000; i++) {
			a[i % 503] += i
			s = s substr("abcdefghij", i % 10 + 1, 1)
			if (length(s) > 200) s = ""
		}
		for (i = 0; i < 4000; i++) {
			x = "k" (i % 997)
			c[x]++
			if (index(x, "99")) m++
			split("a,b,c,d", q, ",")
			y = sprintf("%d-%s", i, x)
			z += length(y q[2])
		}
		for (i = 0; i < 100000; i++) z = z * 3 % 1000003 + i
	}
	for (k in a) z += a[k]
	print z, m
}
