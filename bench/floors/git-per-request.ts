/** The floor for reading files: the least server that answers each request by git processes of its own. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fastify from 'fastify'

const [port = '0', root = ''] = process.argv.slice(2)

const run = promisify(execFile)
const git = (name: string, parameters: string[]) =>
  run('git', ['-C', join(root, `${name}.git`), ...parameters], { encoding: 'buffer' })

type Route = { Params: { name: string }; Querystring: { path: string } }

const server = fastify()
server.get('/', async () => 'ready')
/** The bytes alone: one process. */
server.get<Route>('/:name/bytes', async ({ params, query }, reply) => {
  const { stdout } = await git(params.name, ['cat-file', 'blob', `main:${query.path}`])
  return reply.type('text/plain').send(stdout)
})
/** What the API tells besides: the file's id, the branch's commit, and the commit that touched the file last. */
server.get<Route>('/:name/file', async ({ params, query }, reply) => {
  const [ids, last, bytes] = await Promise.all([
    git(params.name, ['rev-parse', 'main', `main:${query.path}`]),
    git(params.name, ['rev-list', '-1', 'main', '--', query.path]),
    git(params.name, ['cat-file', 'blob', `main:${query.path}`]),
  ])
  const [commit, blob] = ids.stdout.toString().split('\n')
  return reply
    .headers({ 'X-Commit-Id': commit, 'X-Blob-Id': blob, 'X-Last-Commit-Id': last.stdout.toString().trim() })
    .type('text/plain')
    .send(bytes.stdout)
})
await server.listen({ port: Number(port), host: '127.0.0.1' })
process.once('SIGTERM', () => process.exit(0))
