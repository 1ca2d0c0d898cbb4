/* A process that does nothing: what measuring costs by itself. */
int main(void)
{
	return 0;
}
