# A static program in an empty image: docker build -t slosh . && docker run --rm -it slosh
FROM rust:1.95-alpine3.22 AS build
RUN apk add --no-cache musl-dev=~1.2
WORKDIR /slosh
COPY Cargo.toml Cargo.lock README.md ./
COPY docs docs
COPY benches benches
COPY tests tests
COPY src src
RUN cargo build --release --locked

FROM scratch
COPY --from=build /slosh/target/release/slosh /slosh
ENV TERM=xterm-256color COLORTERM=truecolor
USER 65534:65534
ENTRYPOINT ["/slosh"]
