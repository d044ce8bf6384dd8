/** Rules about the tables: their indexes, and which module may write them. */
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../src/infra/database/index.ts'
import { migrations } from '../src/schema/index.ts'
import { indexes } from './schema-indexes.ts'

// Both engines run the same statements, so the catalogue of one of them is enough.
let folder: string
let schema: DatabaseSync

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fennec-schema-'))
  const path = join(folder, 'fennec.db')
  const database = await openDatabase({ url: `sqlite:${path}`, migrations, durable: false })
  await database.close()
  schema = new DatabaseSync(path, { readOnly: true })
})

afterAll(async () => {
  schema.close()
  await rm(folder, { recursive: true, force: true })
})

function rows<T>(query: string): T[] {
  return schema.prepare(query).all() as T[]
}

describe('indexes', () => {
  test('are those of the list', () => {
    const statements = rows<{ sql: string }>(`select sql from sqlite_master where type = 'index' and sql is not null`)
    const found = statements.map(({ sql }) =>
      sql
        .replaceAll('"', '')
        .replaceAll(/\s+/g, ' ')
        .replace(/^create (unique )?index /i, (_, unique) => (unique ? 'unique ' : '')),
    )
    expect(found.sort()).toEqual([...indexes].sort())
  })

  test('serve every foreign key: its columns are the first of an index that covers all rows with a value', () => {
    const missing = rows<{ name: string }>(`
      select m.name || '.' || f."from" as name from sqlite_master m join pragma_foreign_key_list(m.name) f
      where m.type = 'table' and not exists (
        select 1 from pragma_index_list(m.name) l join pragma_index_info(l.name) i on i.seqno = f.seq and i.name = f."from"
        left join sqlite_master d on d.type = 'index' and d.name = l.name
        where l.partial = 0 or d.sql like '% where ' || f."from" || ' is not null')`)
    expect(missing).toEqual([])
  })
})

/** A source file with the folder that owns the tables declared in it. */
type Source = { path: string; owner: string; code: string }

const root = fileURLToPath(new URL('..', import.meta.url))
const forTests = /(\.test|testing|fixture[a-z-]*|suite[a-z-]*)\.ts$|^src\/(testing|schema)\//

const sources: Source[] = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
  .filter((path) => !forTests.test(path))
  .map((path) => ({ path, owner: ownerOf(path), code: readFileSync(join(root, path), 'utf8') }))

function ownerOf(path: string): string {
  return /^src\/(api|(infra|platform|modules)\/[^/]+)/.exec(path)?.[0] ?? path
}

/** The tables that a file declares by augmenting the interface `Tables`. */
function declaredTables({ code }: Source): string[] {
  const body = /declare module '[^']*database\/tables\.ts' \{\s*interface Tables \{([^}]*)\}/.exec(code)?.[1] ?? ''
  return [...body.matchAll(/^\s*(\w+):/gm)].map(([, name]) => name as string)
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
  // The totals of what lies below a namespace.
  namespaces: 'lfs_objects lfs_objects_projects snippets uploads',
  // `fennec check` sums the sizes up that triggers keep.
  projects: 'lfs_objects lfs_objects_projects snippets topics uploads',
  'protected-branches': 'deploy_key_projects keys protected_tags',
  replication: 'lfs_objects_projects registry_repositories snippets uploads',
  runners: 'ci_job_needs ci_jobs',
  tokens: 'oauth_tokens',
}

describe('a table', () => {
  const owners = new Map(sources.flatMap((source) => declaredTables(source).map((table) => [table, source.owner])))

  test('is declared by one module', () => {
    const declared = sources.flatMap(declaredTables)
    expect(declared.sort()).toEqual([...owners.keys()].sort())
    const tables = rows<{ name: string }>(`select name from pragma_table_list where schema = 'main' and type = 'table'
      and name <> 'migrations' and name not like 'sqlite%'`)
    expect(tables.map(({ name }) => name).sort()).toEqual([...owners.keys()].sort())
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
      writtenTables(source)
        .filter((table) => owners.has(table) && owners.get(table) !== source.owner)
        .map((table) => `${source.owner}: ${table}`),
    )
    expect(foreign).toEqual([])
  })
})
