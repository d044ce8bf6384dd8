# Builds a Go program, and puts it into an image without the compiler.
FROM golang:1.24-alpine AS build

WORKDIR /src
COPY go.mod go.sum* ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -o /out/app .

FROM alpine:3
COPY --from=build /out/app /usr/local/bin/app

USER 65532:65532
ENTRYPOINT ["/usr/local/bin/app"]
