import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { type App, startApp } from '../../app.ts'
import { memoryConfig, readConfig } from '../../config.ts'
import { hashToken } from '../../infra/secrets/index.ts'
import { makeFreshDatabase } from '../../testing/database.ts'
import { clientOf, temporaryDirectory } from '../../testing/index.ts'

const rootToken = 'glpat-a-root-token-of-this-test'

/** Everything that the database holds: its files, or the text of every row. */
async function contentOf({ platform: { database, config } }: App): Promise<string> {
  if (database.engine === 'sqlite') {
    const folder = dirname(config.databaseUrl.replace('sqlite:', ''))
    const files = (await readdir(folder)).filter((name) => name.startsWith('fennec.db'))
    return (await Promise.all(files.map((name) => readFile(join(folder, name), 'latin1')))).join('\n')
  }
  const tables = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema()`.execute(database.read as never)
  const texts = tables.rows.map(async ({ name }) => {
    const rows = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(
      database.read as never,
    )
    return rows.rows.map(({ row }) => row).join('\n')
  })
  return (await Promise.all(texts)).join('\n')
}

test('the text of a token is neither in the database nor in the log', async () => {
  await using folder = await temporaryDirectory()
  const fresh = await makeFreshDatabase()
  const lines: string[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const config = {
    ...memoryConfig(readConfig({}), folder.path),
    databaseUrl: fresh.url,
    listen: { host: '127.0.0.1', port: 0 },
    rootToken,
  }
  const app = await startApp({ config, log: pino({ level: 'trace' }, destination), durable: false })
  try {
    const root = clientOf(app.url, rootToken)
    const anonymous = clientOf(app.url)
    const values = { name: 'a', scopes: ['api'] }
    const personal = (await root.post('/users/1/personal_access_tokens', values)).body.token
    const acting = (await root.post('/users/1/impersonation_tokens', values)).body.token
    const rotated = (await clientOf(app.url, personal).post('/personal_access_tokens/self/rotate')).body.token
    for (const name of ['private_token', 'private%5Ftoken', 'access_token', 'job_token']) {
      await anonymous.get(`/personal_access_tokens/self?x=1&${name}=${rotated}&y=2`)
      await anonymous.get(`/nowhere?${name}=${rotated}`)
    }
    await anonymous.post('/user/personal_access_tokens', { ...values, private_token: acting })
    await anonymous.get('/version', { headers: { Authorization: `Bearer ${acting}` } })
    await root.get('/version', { headers: { Sudo: '1' } })
    const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(`root:${text}`).toString('base64')}` })
    const registry = 'root:/jwt/auth?service=container_registry'
    const image = (await anonymous.get(registry, { headers: basic(rotated) })).body.token
    const wrong = 'a password that is not that of root'
    expect((await anonymous.get(registry, { headers: basic(wrong) })).status).toBe(401)
    const pull = { headers: { Authorization: `Bearer ${image}` } }
    expect((await anonymous.get('root:/v2/', pull)).status).toBe(200)
    expect((await anonymous.get('root:/v2/root/demo/tags/list', pull)).status).toBe(401)
    const content = await contentOf(app)
    const log = lines.join('')
    for (const path of ['/api/v4/personal_access_tokens/self', '/jwt/auth', '/v2/']) expect(log).toContain(`"${path}`)
    expect(content).toContain(hashToken(rotated))
    for (const text of [rootToken, personal, acting, rotated, image, wrong]) {
      expect(text.length).toBeGreaterThan(20)
      expect(log.includes(text), 'in the log').toBe(false)
      expect(content.includes(text), 'in the database').toBe(false)
      expect(content.includes(Buffer.from(text).toString('base64')), 'encoded in the database').toBe(false)
    }
  } finally {
    await app.stop()
    await fresh.remove()
  }
})
