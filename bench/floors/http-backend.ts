/** The floor for clones and pushes: `git http-backend` as git ships it, behind the least server that can run it. */
import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { baseConfig } from '../../src/infra/git/process/command.ts'

const [port = '0', root = ''] = process.argv.slice(2)
/** The settings of Fennec's own git processes (durability, checks, memory), but for its hooks. */
const settings = baseConfig('').filter(([key]) => key !== 'core.hooksPath')

function environment(request: IncomingMessage): NodeJS.ProcessEnv {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2)
  return {
    PATH: process.env.PATH,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    PATH_INFO: path,
    QUERY_STRING: query,
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
    REMOTE_USER: 'bench',
    REMOTE_ADDR: '127.0.0.1',
  }
}

/** CGI: a head, an empty line, the body. */
function relay(response: ServerResponse, output: NodeJS.ReadableStream): void {
  let head = Buffer.alloc(0)
  const onData = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    output.off('data', onData)
    for (const line of head.subarray(0, end).toString().split('\r\n')) {
      const [name = '', value = ''] = line.split(': ', 2)
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10)
      else response.setHeader(name, value)
    }
    response.write(head.subarray(end + 4))
    output.pipe(response)
  }
  output.on('data', onData)
}

const server = createServer((request, response) => {
  if (request.url === '/') {
    response.end('ready')
    return
  }
  const child = spawn('git', [...settings.flatMap(([key, value]) => ['-c', `${key}=${value}`]), 'http-backend'], {
    env: environment(request),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.on('error', () => {})
  request.pipe(child.stdin)
  relay(response, child.stdout)
})
server.listen(Number(port), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
