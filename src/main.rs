use clap::Parser;
use slosh::app::error::report_usage;
use slosh::cli::Cli;
use slosh::cli::args::numbers;
use std::process::ExitCode;

fn main() -> ExitCode {
    slosh::cli::completions::answer();
    match Cli::try_parse_from(numbers::signed(std::env::args_os())).map(Cli::run) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => failure.report(),
        Err(said) => report_usage(&said),
    }
}
