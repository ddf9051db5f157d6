# syntax=docker/dockerfile:1
# The platform in an image. From the repository's root, with the packed platform as the build context:
#
#   npm run release -- --platform
#   docker buildx build --platform linux/amd64,linux/arm64 -f deploy/docker/platform.Dockerfile -t <registry>/candela:0.1.0 dist/platform
#
FROM node:24-bookworm-slim
COPY candela-*.tgz /tmp/
# The engine's library is the larger part of the image. Nothing is built: npm unpacks what the lockfile named.
RUN npm install --global --omit=dev --no-audit --no-fund /tmp/candela-*.tgz \
    && rm -rf /tmp/candela-*.tgz /root/.npm \
    && mkdir /data && chown 65532:65532 /data
LABEL org.opencontainers.image.title="candela" \
      org.opencontainers.image.licenses="Apache-2.0"
# In a container other machines are to reach it; then it asks for a key or a signed-in person. The agent of a container
# would measure the container: run the agent on the host instead.
ENV PLATFORM_HOST=0.0.0.0 PLATFORM_DATA_DIR=/data PLATFORM_LOCAL_COLLECTOR=false PLATFORM_LOG_FORMAT=json
USER 65532:65532
VOLUME /data
EXPOSE 3000 4317 4318
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+(process.env.PLATFORM_PORT??3000)+'/api/ready').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
# The log of what was acknowledged is flushed on SIGTERM; give it the grace of PLATFORM_SHUTDOWN_GRACE and a little more.
STOPSIGNAL SIGTERM
ENTRYPOINT ["candela"]
