/* A program that has an interpreter in it, and threads of its own that call it, or are called back
 * from it. */
#include <Python.h>

#include <pthread.h>

static const char *const code = "from spinning import spin\n"
				"def in_main():\n    spin(200)\n"
				"def in_thread():\n    spin(200)\n"
				"def called_back():\n    spin(200)\n";

static void call(const char *name)
{
	PyObject *module = PyImport_AddModule("__main__");
	PyObject *result = PyObject_CallMethod(module, name, NULL);
	if (!result)
		PyErr_Print();
	Py_XDECREF(result);
}

static void *run_thread(void *arg)
{
	for (int i = 0; i < 2; i++) {
		PyGILState_STATE state = PyGILState_Ensure();
		call("in_thread");
		PyGILState_Release(state);
	}
	return arg;
}

/* Python calls C, which calls Python. */
static PyObject *call_back(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	call("called_back");
	Py_RETURN_NONE;
}

int main(void)
{
	static PyMethodDef method = {"call_back", call_back, METH_NOARGS, NULL};
	pthread_t thread;
	Py_Initialize();
	PyObject *function = PyCFunction_New(&method, NULL);
	PyObject_SetAttrString(PyImport_AddModule("__main__"), "call_back", function);
	PyRun_SimpleString(code);
	PyRun_SimpleString("in_main()");
	PyRun_SimpleString("def calls():\n    call_back()\ncalls()");
	PyThreadState *state = PyEval_SaveThread();
	pthread_create(&thread, NULL, run_thread, NULL);
	pthread_join(thread, NULL);
	PyEval_RestoreThread(state);
	return Py_FinalizeEx();
}
