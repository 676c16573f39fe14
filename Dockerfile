# The bridge as a static binary, run by a user without rights.
FROM golang:1.26-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /out/agui-bridge ./cmd/agui-bridge

# alpine brings the certificates for https agents, and wget for the health check.
FROM alpine:3.22
COPY --from=build /out/agui-bridge /usr/local/bin/agui-bridge
USER 65532:65532
ENV AGUI_BRIDGE_ADDR=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["wget", "-q", "-O", "/dev/null", "http://127.0.0.1:8080/healthz"]
ENTRYPOINT ["/usr/local/bin/agui-bridge"]
