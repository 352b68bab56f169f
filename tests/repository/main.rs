//! The repository: the direction of imports, documents, vocabulary.

mod architecture;
mod docs;
mod generated_docs;
mod vocabulary;
