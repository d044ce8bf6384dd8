/** The floor for reading files: the least server that answers each request by a git process of its own. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import fastify from 'fastify'

const [port = '0', root = ''] = process.argv.slice(2)

const server = fastify()
server.get('/', async () => 'ready')
server.get<{ Params: { name: string }; Querystring: { path: string } }>('/:name', (request, reply) => {
  const repository = join(root, `${request.params.name}.git`)
  const parameters = ['-C', repository, 'cat-file', 'blob', `main:${request.query.path}`]
  execFile('git', parameters, { encoding: 'buffer' }, (error, content) => {
    if (error) reply.code(500).send(error.message)
    else reply.type('text/plain').send(content)
  })
  return reply
})
await server.listen({ port: Number(port), host: '127.0.0.1' })
process.once('SIGTERM', () => process.exit(0))
