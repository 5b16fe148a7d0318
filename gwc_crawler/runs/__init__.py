"""What commands share: the site they mean and its files; its pre-crawl, learning and crawl; how they answer."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.runs.asking import ask_questions, ask_yes
    from gwc_crawler.runs.comparison import Comparison, compare, short, some_urls
    from gwc_crawler.runs.correction import (
        CORRECTION,
        Correction,
        accept_correction,
        correct,
        learn_corrected,
        value_of,
    )
    from gwc_crawler.runs.doctor import (
        AT_ONCE,
        Finding,
        Level,
        browser_checks,
        database_checks,
        machine_checks,
        network_checks,
        read_sites,
        rights_checks,
        run_checks,
        server_checks,
    )
    from gwc_crawler.runs.fetching import page_fetcher
    from gwc_crawler.runs.fullscreen import MOST_SHARE, FullScreen
    from gwc_crawler.runs.learning import learn_stored, page_to_learn_from
    from gwc_crawler.runs.lookup import (
        Servers,
        SiteFiles,
        SiteLocation,
        controls_of,
        frontier_of,
        loader_of,
        look_of,
        places,
        shared_look,
        site_at,
        site_class_of,
        site_files_of,
        site_name_of,
        spider_class_of,
        user_name,
    )
    from gwc_crawler.runs.output import console, has_stdout, output_console, print_json, print_labelled, progress_bar
    from gwc_crawler.runs.record_view import FoundValue, RecordView, records_table_of, view_record
    from gwc_crawler.runs.records import (
        has_server_alone,
        kept_elsewhere,
        open_merged,
        open_reader,
        open_records,
        part_here,
        read_columns,
        read_graph,
        require_pages,
        selection_for,
        server_reader,
    )
    from gwc_crawler.runs.site_run import Interrupted, SiteRun, launch_of, process_of, require_records, summary_of
else:
    __getattr__ = face(__name__)
