use slosh::app::error::report_usage;
use slosh::cli::Cli;
use std::alloc::{GlobalAlloc, Layout, System};
use std::process::ExitCode;

/// The system's allocator. Without memory Rust aborts without a panic, so the terminal is restored here.
struct RestoringAllocator;

#[global_allocator]
static ALLOCATOR: RestoringAllocator = RestoringAllocator;

fn restore_if_null(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        slosh::term::restore_now();
    }
    memory
}

#[allow(
    unsafe_code,
    reason = "the only way to learn of a failed allocation; every call goes to the system's allocator"
)]
unsafe impl GlobalAlloc for RestoringAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        restore_if_null(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        restore_if_null(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        restore_if_null(unsafe { System.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
}

fn main() -> ExitCode {
    #[cfg(unix)]
    slosh::term::survive_file_limits();
    slosh::cli::completions::answer();
    match Cli::parse_args(std::env::args_os()).map(Cli::run) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => failure.report(),
        Err(said) => report_usage(&said),
    }
}
