"""`tileir report`: a page that shows every byte of a file, its fields and its text, side by side.

`model.model` makes of a file's bytes a dict of JSON's types; `page.page` puts it into a page whose
script draws it. Each is of use alone: the same script draws the same model wherever Python runs.
"""
