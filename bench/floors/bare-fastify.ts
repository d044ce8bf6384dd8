/**
 * The bare floor for reads: Fastify and hand-prepared SQLite statements over the same database, doing the look-ups that the
 * answer needs (token, settings, roles, page, count, namespaces and repositories, topics, links and forks) and writing the
 * same members of the same size, without anything of a platform around them.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import fastify from 'fastify'

const [port = '0', path = '', samplePath = ''] = process.argv.slice(2)
const database = new DatabaseSync(path)
database.exec('pragma query_only = on; pragma cache_size = -16000; pragma temp_store = memory')
const sample = JSON.parse(readFileSync(samplePath, 'utf8')) as Row & { namespace: Row }

const token = database.prepare(
  'select t.scopes, t.expires_at, t.revoked, u.* from access_tokens t join users u on u.id = t.user_id where t.digest = ?',
)
const settings = database.prepare('select updated_at from application_settings where id = 1')
const roles = database.prepare(`
  select namespace_id, project_id, access_level from members where user_id = ?1
  union all select id, null, 50 from namespaces where kind = 'user' and owner_id = ?1
  union all select l.namespace_id, l.project_id, min(l.access_level, m.access_level) from members m
    join namespace_ancestors g on g.ancestor_id = m.namespace_id join group_links l on l.group_id = g.namespace_id
    where m.user_id = ?1`)
const page = database.prepare(
  'select * from projects where pending_delete = 0 order by created_at desc, id desc limit ? offset ?',
)
const count = database.prepare(
  'select count(*) as total from (select id from projects where pending_delete = 0 limit 10001)',
)
const one = database.prepare('select * from projects where id = ?')
const surroundings = database.prepare(`
  select p.id as project_id, n.*, r.generation, r.storage from projects p join namespaces n on n.id = p.namespace_id
    left join repositories r on r.project_id = p.id and r.kind = 'project'
    where p.id in (select value from json_each(?))`)
const relations = database.prepare(`
  select project_id, 'topic' as kind, position as number, name from project_topics
    where project_id in (select value from json_each(?1))
  union all select l.project_id, 'link', n.id, n.name from group_links l join namespaces n on n.id = l.group_id
    where l.project_id in (select value from json_each(?1))
  union all select forked_from_id, 'forks', count(*), '' from projects
    where forked_from_id in (select value from json_each(?1)) and pending_delete = 0 group by forked_from_id
  union all select p.id, 'above', a.ancestor_id, '' from projects p
    join namespace_ancestors a on a.namespace_id = p.namespace_id where p.id in (select value from json_each(?1))`)

type Row = Record<string, unknown>

function present(row: Row, around: Row, related: readonly Row[]): Row {
  const fullPath = String(row.full_path)
  return {
    ...sample,
    id: row.id,
    name: row.name,
    path: row.path,
    path_with_namespace: fullPath,
    web_url: `http://127.0.0.1:${port}/${fullPath}`,
    http_url_to_repo: `http://127.0.0.1:${port}/${fullPath}.git`,
    created_at: row.created_at,
    last_activity_at: row.last_activity_at,
    topics: related.filter(({ kind }) => kind === 'topic').map(({ name }) => name),
    namespace: {
      ...sample.namespace,
      id: around.id,
      name: around.name,
      path: around.path,
      full_path: around.full_path,
    },
    empty_repo: around.generation === 1,
    ...(JSON.parse(String(row.settings)) as Row),
  }
}

function presentAll(rows: readonly Row[]): Row[] {
  const ids = JSON.stringify(rows.map(({ id }) => id))
  const around = new Map((surroundings.all(ids) as Row[]).map((row) => [row.project_id, row]))
  const related = Map.groupBy(relations.all(ids) as Row[], (row) => row.project_id)
  return rows.map((row) => present(row, around.get(row.id) ?? {}, related.get(row.id) ?? []))
}

function signIn(text: unknown): void {
  const found = token.get(createHash('sha256').update(String(text)).digest('hex')) as Row | undefined
  if (!found || found.revoked) throw new Error('unknown token')
  settings.get()
  roles.all(found.id as number)
}

const server = fastify()
server.get('/', async () => 'ready')
server.get('/projects', async (request, reply) => {
  signIn(request.headers['private-token'])
  reply.header('X-Total', String((count.get() as Row).total))
  return presentAll(page.all(21, 0).slice(0, 20) as Row[])
})
server.get<{ Params: { id: string } }>('/projects/:id', async (request) => {
  signIn(request.headers['private-token'])
  return presentAll([one.get(Number(request.params.id)) as Row])[0]
})
await server.listen({ port: Number(port), host: '127.0.0.1' })
process.once('SIGTERM', () => process.exit(0))
