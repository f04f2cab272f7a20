"""Elements of one type as another: floats of every width, integers, scale factors."""
