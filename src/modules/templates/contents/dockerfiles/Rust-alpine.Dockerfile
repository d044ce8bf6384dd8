# Builds a Rust program named app, and puts it into an image without the compiler.
FROM rust:1-alpine AS build

RUN apk add --no-cache musl-dev
WORKDIR /src
COPY . .
RUN cargo install --locked --path . --root /out

FROM alpine:3
COPY --from=build /out/bin/ /usr/local/bin/

USER 65532:65532
CMD ["app"]
