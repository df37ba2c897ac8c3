# The petstore in a container. docs/production.md tells how to use it, and compose.yaml runs it on PostgreSQL.

FROM denoland/deno:bin-2.9.6 AS deno

# Fetches and prepares all that runs later, so that a container starts without a network.
FROM debian:12-slim AS build
COPY --from=deno /deno /usr/local/bin/deno
ENV DENO_DIR=/opt/petstore/.deno
WORKDIR /opt/petstore
COPY deno.json server.ts ./
COPY lib lib
COPY packages packages
RUN deno cache --node-modules-dir=none --lock=packages/postgres/server.lock --frozen server.ts packages/postgres/server.ts

FROM debian:12-slim
COPY --from=build /usr/local/bin/deno /usr/local/bin/deno
COPY --from=build /opt/petstore /opt/petstore
# The command "petstore", also for `docker exec`. Its permissions are those of the task "program" in deno.json.
RUN printf '#!/bin/sh\nexec deno run --cached-only %s /opt/petstore/server.ts "$@"\n' \
  '--quiet --no-prompt --node-modules-dir=none --lock=/opt/petstore/packages/postgres/server.lock --frozen --unstable-net --v8-flags=--max-semi-space-size=4 --allow-net --allow-read --allow-write --allow-sys=uid --allow-env' \
  > /usr/local/bin/petstore && chmod 755 /usr/local/bin/petstore

LABEL org.opencontainers.image.title=Petstore org.opencontainers.image.licenses=MIT

# A user without a name, who owns nothing but the data. Other users of the machine cannot read them.
RUN mkdir -p /var/lib/petstore/data && chmod 700 /var/lib/petstore/data && chown 10001:10001 /var/lib/petstore/data
USER 10001:10001
WORKDIR /var/lib/petstore
VOLUME /var/lib/petstore/data
ENV DENO_DIR=/opt/petstore/.deno DENO_NO_UPDATE_CHECK=1 NO_COLOR=1 PETSTORE_HOSTNAME=0.0.0.0
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=10s --start-period=30s CMD petstore ready
ENTRYPOINT ["petstore"]
CMD ["serve"]
