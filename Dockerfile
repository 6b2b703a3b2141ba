# The packed tarball on a small Node image: docker build --tag supportctl .
FROM node:24.11-slim AS pack
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm pack --ignore-scripts --pack-destination /tarball
RUN npm install --global --prefix /installed --omit=optional /tarball/supportctl-*.tgz

FROM node:24.11-slim
LABEL org.opencontainers.image.title="supportctl" \
      org.opencontainers.image.description="The admin command line for a help desk: bulk edits that can be killed, resumed, proved and undone." \
      org.opencontainers.image.licenses="MIT"
COPY --from=pack /installed /usr/local
ENV NODE_ENV=production
USER node
WORKDIR /data
ENTRYPOINT ["supportctl"]
CMD ["help"]
