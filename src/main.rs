use clap::Parser;
use slosh::app::error::report_usage;
use slosh::cli::Cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    slosh::cli::completions::answer();
    match Cli::try_parse().map(Cli::run) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => failure.report(),
        Err(said) => report_usage(&said),
    }
}
