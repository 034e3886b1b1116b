# An exception was thrown.
DEFINE TRIGGER exception
ON Exception E
