# syntax=docker/dockerfile:1
# `candela controller` with the agent that holds its probes, for deploy/controller. After the image of the platform
# (platform.Dockerfile), with the agent's binaries as the build context:
#
#   npm run release -- --target linux-amd64 --target linux-arm64
#   docker buildx build --platform linux/amd64,linux/arm64 --build-arg PLATFORM=<registry>/candela:0.1.0 \
#     -f deploy/docker/controller.Dockerfile -t <registry>/candela-controller:0.1.0 dist/collector
#
ARG PLATFORM=candela:0.1.0
FROM ${PLATFORM}
ARG TARGETARCH
COPY --chmod=0755 opentelemetry-gpu-collector-linux-${TARGETARCH} /usr/local/bin/opentelemetry-gpu-collector
# It looks at the processes of others; the manifests take all but four capabilities away.
USER 0:0
VOLUME /var/lib/candela-controller
HEALTHCHECK NONE
ENTRYPOINT ["candela", "controller"]
