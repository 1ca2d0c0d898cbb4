#include "hpcprof/command/expression.h"

int expression_compile(regex_t *to, const char *option, const char *text, struct error *e)
{
	char why[128];
	int rc = regcomp(to, text, REG_EXTENDED | REG_NOSUB);

	if (rc == 0)
		return 0;
	regerror(rc, to, why, sizeof why);
	return error_set(e, ERROR_USAGE,
			 "%s takes an extended regular expression, not '%.100s' (%s)", option, text,
			 why);
}

int expression_check(const char *option, const char *text, struct error *e)
{
	regex_t r;

	if (expression_compile(&r, option, text, e) != 0)
		return -1;
	regfree(&r);
	return 0;
}
