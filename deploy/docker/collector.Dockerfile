# syntax=docker/dockerfile:1
# The agent in an image. From the repository's root, for both platforms, with the binaries as the build context:
#
#   npm run release -- --target linux-amd64 --target linux-arm64
#   docker buildx build --platform linux/amd64,linux/arm64 -f deploy/docker/collector.Dockerfile -t <registry>/opentelemetry-gpu-collector:0.1.0 dist/collector
#
# The base has the C and C++ libraries; certificates of public authorities are in the binary.
FROM debian:12-slim
ARG TARGETARCH
COPY --chmod=0755 opentelemetry-gpu-collector-linux-${TARGETARCH} /usr/local/bin/opentelemetry-gpu-collector
COPY THIRD-PARTY-NOTICES.txt /usr/share/doc/opentelemetry-gpu-collector/
LABEL org.opencontainers.image.title="opentelemetry-gpu-collector" \
      org.opencontainers.image.licenses="Apache-2.0"
# What the container runtime of NVIDIA gives: all GPUs, and of the driver's libraries those that manage them.
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=utility
# Nobody's. On a cluster's node root sees more: the manifests say so where they ask for it.
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/opentelemetry-gpu-collector"]
