/* A process that does nothing, to find the cost of measuring itself. */
int main(void)
{
	return 0;
}
