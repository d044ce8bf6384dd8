# Runs a Node.js program with the packages that package-lock.json names.
FROM node:24-alpine

ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev
COPY . .

USER node
EXPOSE 3000
CMD ["npm", "start"]
