//! The repository: the direction of imports, documents.

mod architecture;
mod docs;
mod generated_docs;
