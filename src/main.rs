use clap::Parser;
use slosh::app::config::Cli;
use slosh::app::failure::report_usage;
use std::process::ExitCode;

fn main() -> ExitCode {
    match Cli::try_parse().map(Cli::run) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => failure.report(),
        Err(said) => report_usage(&said),
    }
}
