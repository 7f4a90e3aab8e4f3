/* One convention for every function that can fail: its fastio_error parameter is ours, not the caller's, and a status other than
 * FASTIO_OK becomes the language's error before the result is seen. A language defines FASTIO_FAIL(fastio_error *). */

%typemap(in, numinputs=0) fastio_error *err (fastio_error failure) %{
  fastio_error_init(&failure);
  $1 = &failure;
%}
%typemap(argout) fastio_error *err %{
  if ($1->status != FASTIO_OK) FASTIO_FAIL($1)
%}
