import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ignoreMissing } from '../../infra/files/index.ts'
import { hasCurrent, weakEtag } from '../http/responses/etag.ts'
import type { Service } from '../http/server/server.ts'
import { methodNotAllowed, routeNotFound } from '../operation/errors.ts'

/** The files of Swagger UI that are served, with their content types. */
const contentTypes: Record<string, string> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
}

/** No inline code, and no requests to other servers. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

// Addresses are relative, so that the pages also work behind a proxy with a path prefix.
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fennec API</title>
<link rel="icon" type="image/png" sizes="32x32" href="docs/favicon-32x32.png">
<link rel="icon" type="image/png" sizes="16x16" href="docs/favicon-16x16.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<noscript>The description of the API for programs is at <a href="api/v4/openapi.json">api/v4/openapi.json</a>.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/swagger-ui-standalone-preset.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`

const start = `window.ui = SwaggerUIBundle({
  url: new URL('api/v4/openapi.json', document.baseURI).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
})
`

/** The built package has the files next to the code; the sources use the installed package. */
function candidateFolders(): string[] {
  const folders = [fileURLToPath(new URL('../../docs-assets', import.meta.url))]
  try {
    folders.push(fileURLToPath(new URL('.', import.meta.resolve('swagger-ui-dist/package.json'))))
  } catch {
    // Not installed, as in the built package.
  }
  return folders
}

async function readAsset(folders: readonly string[], name: string): Promise<Buffer> {
  for (const folder of folders) {
    const bytes = await readFile(join(folder, name)).catch(ignoreMissing)
    if (bytes) return bytes
  }
  throw routeNotFound()
}

function send(request: FastifyRequest, reply: FastifyReply, type: string, body: string | Buffer): true {
  const etag = weakEtag(body)
  reply.headers({
    'Content-Security-Policy': contentSecurityPolicy,
    'Cache-Control': 'public, max-age=3600',
    ETag: etag,
  })
  if (hasCurrent(request, etag)) reply.code(304).send()
  else reply.code(200).header('Content-Type', type).send(body)
  return true
}

/**
 * The reference pages at `/docs`: Swagger UI with `/api/v4/openapi.json`. They are public, like that document.
 * @param folders folders that may have the files of Swagger UI, in the order of the search
 * @param others names of pages below it that another service has
 */
export function createDocs(folders: readonly string[] = candidateFolders(), others: readonly string[] = []): Service {
  return {
    async handle(request, reply) {
      const [path = ''] = request.url.split('?', 1)
      if (path !== '/docs' && !path.startsWith('/docs/')) return false
      if (others.includes(path.slice('/docs/'.length))) return false
      if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD'])
      if (path === '/docs') return send(request, reply, 'text/html; charset=utf-8', page)
      if (path === '/docs/') {
        reply.code(301).headers({ Location: '../docs', 'Cache-Control': 'no-cache' }).send()
        return true
      }
      const name = path.slice('/docs/'.length)
      if (name === 'start.js') return send(request, reply, 'text/javascript; charset=utf-8', start)
      const type = Object.hasOwn(contentTypes, name) ? contentTypes[name] : undefined
      if (type === undefined) throw routeNotFound()
      return send(request, reply, type, await readAsset(folders, name))
    },
  }
}
