# Builds a Swift program named app, and runs it with the libraries of Swift.
FROM swift:6 AS build

WORKDIR /src
COPY . .
RUN swift build --configuration release

FROM swift:6-slim
COPY --from=build /src/.build/release/app /usr/local/bin/app

USER 65532:65532
CMD ["app"]
