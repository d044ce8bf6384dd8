import { hash } from 'node:crypto'
import { escapeHtml } from '../../infra/markdown/index.ts'
import { hasCurrent, weakEtag } from '../http/responses/etag.ts'
import type { Service } from '../http/server/server.ts'
import { methodNotAllowed } from '../operation/errors.ts'

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; color: #222; background: #fff }
pre { padding: 1rem; overflow-x: auto; background: #f4f4f4; border-radius: 4px }
a { color: #06c }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #161616 }
  pre { background: #262626 }
  a { color: #6bf }
}
`

/** The style above, by its hash, and the empty icon; no scripts and nothing from other sources. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

// The links are relative, so that they also work behind a proxy that serves this server below a path of its own.
const page = (url: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fennec</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<h1>Fennec</h1>
<p>This server hosts git repositories and answers a REST API (v4). It has no web interface: use the API with a client
or with curl, and the repositories with git.</p>
<h2>Sign in</h2>
<p>Send an access token in the header <code>PRIVATE-TOKEN</code>. The first start creates the user <code>root</code> and
writes its token to the file <code>root-token</code> in the data folder.</p>
<pre><code>curl --header "PRIVATE-TOKEN: &lt;your token&gt;" ${escapeHtml(url)}/api/v4/user</code></pre>
<h2>Documentation</h2>
<ul>
<li><a href="docs">API reference</a></li>
<li><a href="api/v4/openapi.json">OpenAPI document</a></li>
</ul>
</body>
</html>
`

/**
 * The page at `/`, for people who open the server's address in a browser.
 * @param externalUrl address of the server, for the example
 */
export function createHomePage(externalUrl: string): Service {
  const body = page(externalUrl.replace(/\/+$/, ''))
  const etag = weakEtag(body)
  return {
    async handle(request, reply) {
      if (request.url !== '/' && !request.url.startsWith('/?')) return false
      if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD'])
      request.operationId = 'home'
      reply.headers({ 'Content-Security-Policy': contentSecurityPolicy, 'Cache-Control': 'no-cache', ETag: etag })
      if (hasCurrent(request, etag)) reply.code(304).send()
      else reply.code(200).header('Content-Type', 'text/html; charset=utf-8').send(body)
      return true
    },
  }
}
