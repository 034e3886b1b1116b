# A request returned less than zero.
DEFINE TRIGGER error-return
ON RequestEnd R
IF R.RetValue < 0
