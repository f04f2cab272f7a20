"""What somebody does with a page of `tileir report`, and in the playground: each a test.

`test_uses.py` says that each of these tests exists. In all of them the browser notes what a page
asks for, says or violates (`watching.py`), and the test fails if it asked for anything but itself.
"""

PAGE = {
    "open a page from the disk": "test_links.py::test_the_page_opens_from_a_file",
    "point at a byte, see its field and its line": (
        "test_links.py::test_a_byte_lights_up_its_field_and_its_line"
    ),
    "click on a line, see its bytes": "test_links.py::test_a_line_selects_its_bytes",
    "click on a field, see what it means": (
        "test_links.py::test_a_field_selects_its_bytes_and_its_line"
    ),
    "go from a field to the type that it names": (
        "test_links.py::test_a_field_leads_to_the_entry_that_it_names"
    ),
    "follow an operand to the op that makes it": (
        "test_steps.py::test_an_operand_leads_to_the_op_that_makes_it"
    ),
    "see which ops use a result": "test_steps.py::test_a_result_leads_to_the_ops_that_use_it",
    "go from a parameter to its function": (
        "test_steps.py::test_a_parameter_leads_to_its_function"
    ),
    "see all places of a value": "test_links.py::test_a_value_lights_up_wherever_it_is_used",
    "open an address that names an op or a byte": (
        "test_links.py::test_an_address_names_an_op_or_a_byte"
    ),
    "open an address that names nothing": (
        "test_links.py::test_an_address_of_nothing_selects_nothing"
    ),
    "jump to a section": "test_links.py::test_sections_are_a_click_away",
    "look up an entry of a table": "test_links.py::test_tables_list_what_the_file_has",
    "filter a table": "test_steps.py::test_a_search_filters_the_tables",
    "search an op, then a byte": "test_links.py::test_search_finds_text_and_bytes",
    "see all ops of a line of source": "test_links.py::test_a_line_of_source_lights_up_all_its_ops",
    "fold the fields": "test_links.py::test_nodes_fold",
    "copy bytes": "test_steps.py::test_bytes_are_copied",
    "do all of it by keys": "test_links.py::test_all_is_done_by_keys",
    "reach every control by Tab": "test_links.py::test_every_control_is_reached_by_tab",
    "have a screen reader read it": "test_look.py::test_axe_finds_nothing",
    "see why a kernel is slow": "test_kernels.py::test_a_kernel_is_shown_in_all_its_forms",
    "open a broken file, be at its problem": (
        "test_steps.py::test_a_broken_file_opens_at_its_first_problem"
    ),
    "see a file up to where it breaks": (
        "test_files.py::test_a_broken_file_is_shown_up_to_where_it_breaks"
    ),
    "open an empty file": "test_files.py::test_an_empty_file_has_a_page",
    "see two files side by side": "test_files.py::test_two_files_are_side_by_side",
    "step through their differences": "test_steps.py::test_one_steps_through_the_differences",
    "see which flag two versions differ in": (
        "test_steps.py::test_two_versions_of_a_file_show_the_flag_that_one_has"
    ),
    "send a page without one's directories": "test_files.py::test_directories_are_dots",
    "open the page of a hostile file": "test_files.py::test_no_name_runs_a_script",
    "open a page that was damaged on its way": "test_files.py::test_a_damaged_page_says_so",
    "open a page that somebody put a script into": (
        "test_files.py::test_the_policy_stops_what_gets_in"
    ),
    "open a page without JavaScript": "test_files.py::test_without_scripts_there_is_a_sentence",
    "look at it in the dark": "test_look.py::test_light_and_dark_follow_the_system",
    "look at it in a narrow window": "test_look.py::test_nothing_is_cut_off_at_any_width",
    "make the window larger": "test_steps.py::test_panes_fill_a_window_that_grows",
    "choose another tab in a narrow window": "test_steps.py::test_no_tab_is_cut_off",
    "touch a byte on a phone": "test_steps.py::test_a_finger_on_a_phone_sees_what_it_touched",
    "print it": "test_look.py::test_paper_has_the_whole_text",
    "scroll through 20,000 ops": "test_look.py::test_twenty_thousand_ops_scroll",
}
"""What one does with a page, and the test that does it."""

PLAYGROUND = {
    "open an example": "test_use.py::test_every_example_can_be_opened",
    "open the same example again": "test_use.py::test_an_example_is_opened_once",
    "choose files, and drop one": "test_use.py::test_files_are_chosen_and_dropped",
    "explore a file": "test_use.py::test_a_file_is_explored",
    "see its problems": "test_use.py::test_problems_of_a_file_are_shown",
    "change its text, and assemble it": "test_use.py::test_a_text_is_edited_and_assembled",
    "begin with a new text": "test_use.py::test_a_new_text_is_valid",
    "make a mistake, see it at its place": "test_use.py::test_errors_stand_at_their_place",
    "break a rule, see which": "test_use.py::test_broken_rules_are_found_in_text",
    "go from error to error": "test_use.py::test_f8_goes_from_error_to_error",
    "ask for the bytes of a text with errors": (
        "test_use.py::test_what_cannot_be_assembled_has_no_bytes"
    ),
    "compare two files": "test_use.py::test_two_files_are_compared",
    "compare a file with none": ("test_use.py::test_one_file_has_nothing_to_be_compared_with"),
    "convert a file to 13.1": "test_use.py::test_a_file_is_converted",
    "convert a file of any name": "test_use.py::test_any_name_is_a_good_one_to_convert",
    "see what 13.1 lacks": "test_use.py::test_what_a_version_lacks_is_listed",
    "have a command print what it prints": ("test_use.py::test_commands_print_what_they_print"),
    "save files and outputs": "test_use.py::test_files_and_outputs_are_saved",
    "wait for what takes too long": (
        "test_use.py::test_what_takes_too_long_is_stopped_and_nothing_is_lost"
    ),
    "stop it by hand": "test_use.py::test_work_is_stopped_by_hand",
    "share a link to a file": "test_policy.py::test_a_link_holds_a_file",
    "open a link to a text": "test_policy.py::test_a_link_holds_a_text",
    "share what is too large for a link": ("test_policy.py::test_what_is_too_large_has_no_link"),
    "open a hostile link": "test_policy.py::test_a_hostile_link_is_refused",
    "open a link full of hostile names": (
        "test_policy.py::test_a_link_with_hostile_names_runs_no_script"
    ),
    "open files of hostile names": ("test_policy.py::test_hostile_names_of_files_run_no_script"),
    "look whom it talks to": ("test_policy.py::test_everything_comes_from_its_own_origin"),
    "use it in the dark": "test_look.py::test_dark_and_light",
    "use it on a phone": "test_look.py::test_nothing_is_cut_off_at_any_width",
    "use it by keys": "test_look.py::test_tabs_are_chosen_by_keys",
    "have a screen reader read it": "test_look.py::test_axe_finds_nothing",
}
"""What one does in the playground, and the test in `playground/` that does it."""
