"""What language models run, as kernels that are in no fixture: machine code is compared on them."""
