# Builds a Rust program named app, and puts it into an image without the compiler.
FROM rust:1 AS build

WORKDIR /src
COPY . .
RUN cargo install --locked --path . --root /out

FROM debian:stable-slim
COPY --from=build /out/bin/ /usr/local/bin/

USER 65532:65532
CMD ["app"]
