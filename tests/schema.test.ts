/** Rules about the tables: their keys, and which module may write them. */
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  checksumOf,
  type Database,
  indexesOf,
  openDatabase,
  Table,
  unindexedReferences,
} from '../src/infra/database/index.ts'
import type { Column } from '../src/infra/database/schema/column.ts'
import { checksums } from '../src/migrations/checksums.ts'
import { migrations } from '../src/migrations/index.ts'
import { tables } from '../src/tables.ts'

// What the declarations lead to on PostgreSQL, other tests find.
let folder: string
let database: Database
let schema: DatabaseSync

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fennec-schema-'))
  const path = join(folder, 'fennec.db')
  database = await openDatabase({ url: `sqlite:${path}`, migrations, durable: false })
  schema = new DatabaseSync(path, { readOnly: true })
})

afterAll(async () => {
  schema.close()
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

function rows<T>(query: string): T[] {
  return schema.prepare(query).all() as T[]
}

test('the statements of a migration stay as they are', () => {
  const found = Object.fromEntries(
    migrations.map((migration) => {
      const of = (engine: 'sqlite' | 'postgres') => checksumOf(database.read as never, engine, migration)
      return [migration.name, { sqlite: of('sqlite'), postgres: of('postgres') }]
    }),
  )
  // Until its release, the last migration follows the tables.
  expect(checksums, 'Write the new checksums into src/migrations/checksums.ts').toEqual(found)
})

describe('indexes', () => {
  test('serve every foreign key: its column is the first one of an index that has all rows with a value', () => {
    expect(tables.flatMap(unindexedReferences)).toEqual([])
  })

  test('have names of their own', () => {
    for (const engine of ['sqlite', 'postgres'] as const) {
      const names = tables.flatMap((table) => indexesOf(table, engine).map((index) => / ?index (\w+)/.exec(index)?.[1]))
      expect(names.filter((name, position) => names.indexOf(name) !== position)).toEqual([])
    }
  })
})

test('a foreign key refers to the primary key or a unique column of a table', () => {
  const byName = new Map(tables.map((table) => [table.name, table]))
  const wrong = tables.flatMap(({ name, columns }) =>
    Object.entries(columns as Record<string, Column<unknown>>).flatMap(([column, { facts }]) => {
      const { table = name, column: other = column } = facts.references ?? {}
      return byName.get(table)?.columns[other] ? [] : [`${name}.${column}: ${table}.${other}`]
    }),
  )
  expect(wrong).toEqual([])
})

/** A source file with the folder that owns the tables declared in it. */
type Source = { path: string; owner: string; code: string }

const root = fileURLToPath(new URL('..', import.meta.url))
const forTests = /(\.test|testing|fixture[a-z-]*|suite[a-z-]*)\.ts$|^src\/testing\//

const sources: Source[] = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
  .filter((path) => !forTests.test(path))
  .map((path) => ({ path, owner: ownerOf(path), code: readFileSync(join(root, path), 'utf8') }))

function ownerOf(path: string): string {
  return /^src\/(api|(infra|platform|modules)\/[^/]+)/.exec(path)?.[0] ?? path
}

/** The tables that a file declares, by their constants. */
async function declaredTables({ path, code }: Source): Promise<[constant: string, table: string][]> {
  if (!code.includes('interface Tables')) return []
  const values = Object.entries(await import(join(root, path)))
  return values.flatMap(([constant, value]) => (value instanceof Table ? [[constant, value.name]] : []))
}

/** The tables that a file writes by name. */
function writtenTables({ code }: Source): string[] {
  const builders = code.matchAll(/\b(?:insertInto|updateTable|deleteFrom|replaceInto|mergeInto)\(\s*'(\w+)/g)
  const statements = code.matchAll(/\b(?:insert into|delete from|update)\s+([a-z_]+)\s+(?:\(|set\b|where\b|select\b)/g)
  return [...builders, ...statements].map(([, name]) => name as string)
}

/** The tables that a file reads by name. */
function readTables({ code }: Source): string[] {
  const builders = code.matchAll(/\b(?:selectFrom|innerJoin|leftJoin)\(\s*'(\w+)/g)
  const statements = code.matchAll(/\b(?:from|join) ([a-z_]+)\b/g)
  return [...builders, ...statements].map(([, name]) => name as string)
}

/** What lists of all domains are joined with: where something is, and who may see it. */
const readByAll = new Set(
  'projects namespaces namespace_ancestors users members repositories group_links routes'.split(' '),
)

/**
 * The other tables that modules read although others own them: lists that filter by them, and rules that are one query. What is a
 * single row or a few by id, a module asks the owner for.
 */
const readBeside: Record<string, string> = {
  activity: 'events issuable_assignees issues merge_requests notes',
  'deploy-keys': 'keys',
  'enterprise-users': 'identities',
  epics: 'issues milestones',
  // The latest thing of a project or group, from which the test of a hook takes its data.
  hooks: 'issues',
  issuables: 'award_votes label_priorities labels milestones notes',
  members: 'identities issues',
  // Which requests wait for others is asked with every list of them.
  'merge-request-blocks': 'merge_requests',
  // The totals of what lies below a namespace.
  namespaces: 'lfs_objects lfs_objects_projects packages project_sizes snippets uploads',
  // `fennec check` sums the sizes up that triggers keep.
  notifications: 'issuable_assignees issues merge_request_reviewers notes pipelines subscriptions user_mentions',
  projects: 'lfs_objects lfs_objects_projects package_blobs package_files packages snippets topics uploads',
  'protected-branches': 'deploy_key_projects keys protected_tags',
  replication:
    'ci_secure_files lfs_objects_projects package_blobs package_files packages pages_deployments registry_repositories snippets terraform_state_versions uploads',
  runners: 'ci_job_needs ci_jobs',
  tokens: 'oauth_tokens',
}

describe('a table', async () => {
  const declared = await Promise.all(
    sources.map(async (source) => ({ owner: source.owner, tables: await declaredTables(source) })),
  )
  const owners = new Map(declared.flatMap(({ owner, tables }) => tables.map(([, table]) => [table, owner] as const)))
  const constants = new Map(declared.flatMap((one) => one.tables))

  test('is declared by one module, and in the list of tables', () => {
    const all = declared.flatMap((one) => one.tables.map(([, table]) => table))
    expect(all.sort()).toEqual([...owners.keys()].sort())
    expect(tables.map(({ name }) => name).sort()).toEqual(all)
    const stored = rows<{ name: string }>(`select name from pragma_table_list where schema = 'main' and type = 'table'
      and name <> 'migrations' and name not like 'sqlite%'`)
    expect(stored.map(({ name }) => name).sort()).toEqual(all)
  })

  test('is read only by the module that declares it, but for those that lists need', () => {
    const foreign = sources.flatMap((source) => {
      const allowed = (readBeside[source.owner.replace('src/modules/', '')] ?? '').split(' ')
      return readTables(source)
        .filter((table) => owners.has(table) && owners.get(table) !== source.owner)
        .filter((table) => !readByAll.has(table) && !allowed.includes(table))
        .map((table) => `${source.path}: ${table}`)
    })
    expect(foreign).toEqual([])
  })

  test('is written only by the module that declares it', () => {
    const foreign = sources.flatMap((source) =>
      [
        ...writtenTables(source),
        ...[...source.code.matchAll(/\brows\((\w+)\)/g)].map(([, name]) => constants.get(`${name}`) ?? ''),
      ]
        .filter((table) => owners.has(table) && owners.get(table) !== source.owner)
        .map((table) => `${source.owner}: ${table}`),
    )
    expect(foreign).toEqual([])
  })
})
