# A program that needs nothing but itself, such as one linked statically.
FROM scratch

COPY app /app

USER 65532:65532
ENTRYPOINT ["/app"]
