import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tx } from '../../../infra/database/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { ProjectRow } from '../tables.ts'
import { sizeCheck } from './check.ts'

let server: TestServer
let owner: Person
/** Projects of which the second one has everything, the third one a wiki, and the first one nothing. */
let projects: ProjectRow[]

const write = <Result>(work: (tx: Tx) => Promise<Result>) => server.app.platform.database.write(work)

async function newSnippet(tx: Tx, projectId: number, bytes: number): Promise<number> {
  const at = server.app.platform.clock.now().toISOString()
  const snippet = {
    title: 'one',
    visibility: 'private',
    author_id: owner.id,
    file_name: 'a',
    created_at: at,
    updated_at: at,
  }
  const { id } = await tx
    .insertInto('snippets')
    .values({ ...snippet, project_id: projectId } as never)
    .returning('id')
    .executeTakeFirstOrThrow()
  const place = { storage: 'default', disk_path: `snippet-${id}`, created_at: at, project_id: null, namespace_id: null }
  await tx
    .insertInto('repositories')
    .values({ ...place, snippet_id: id, kind: 'snippet', size_bytes: bytes })
    .execute()
  return id
}

/** Objects of LFS of these sizes, of which each project has all. */
async function newObjects(tx: Tx, sizes: readonly number[], projectIds: readonly number[]): Promise<void> {
  const created_at = server.app.platform.clock.now().toISOString()
  const rows = sizes.map((size_bytes) => ({
    oid: `oid-${size_bytes}`,
    storage_key: `k-${size_bytes}`,
    size_bytes,
    created_at,
  }))
  const made = await tx.insertInto('lfs_objects').values(rows).returning('id').execute()
  const links = projectIds.flatMap((project_id) => made.map(({ id }) => ({ project_id, object_id: id })))
  await tx.insertInto('lfs_objects_projects').values(links).execute()
}

async function newUploads(tx: Tx, sizes: readonly number[], projectId: number): Promise<void> {
  const at = server.app.platform.clock.now().toISOString()
  const rows = sizes.map((size_bytes) => ({
    ...{ project_id: projectId, namespace_id: null, secret: `${projectId}-${size_bytes}`, filename: 'a', size_bytes },
    ...{ sha256: '', user_id: null, created_at: at },
  }))
  await tx.insertInto('uploads').values(rows).execute()
}

const setSize = (tx: Tx, projectId: number, kind: 'project' | 'wiki', bytes: number) =>
  tx
    .updateTable('repositories')
    .set({ size_bytes: bytes })
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .execute()

async function newWiki(tx: Tx, projectId: number, bytes: number): Promise<void> {
  const created_at = server.app.platform.clock.now().toISOString()
  const place = { storage: 'default', disk_path: `wiki-${projectId}`, created_at, namespace_id: null }
  await tx
    .insertInto('repositories')
    .values({ ...place, project_id: projectId, kind: 'wiki', size_bytes: bytes })
    .execute()
}

async function statisticsOf({ id }: ProjectRow) {
  return (await server.root.get(`/projects/${id}?statistics=true`)).body.statistics
}

async function problems(): Promise<string[]> {
  const found: string[] = []
  for await (const problem of sizeCheck(server.app.platform)) found.push(problem)
  return found
}

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  projects = []
  for (const name of ['empty', 'full', 'wiki', 'shared']) projects.push(await server.make.project(name, owner))
  const [, full, wiki, shared] = projects.map(({ id }) => id) as [number, number, number, number]
  await write(async (tx) => {
    await setSize(tx, full, 'project', 1)
    await setSize(tx, shared, 'project', 2)
    await newWiki(tx, wiki, 5000)
    await newWiki(tx, full, 20)
    await newObjects(tx, [100, 200], [full, shared])
    await newSnippet(tx, full, 3000)
    await newSnippet(tx, full, 4000)
    await newUploads(tx, [10_000, 50_000], full)
  })
})
afterAll(() => server.stop())

describe('the sizes of projects', () => {
  test('are those of what they store, also after changes and removals', async () => {
    const [empty, full, , shared] = projects as [ProjectRow, ProjectRow, ProjectRow, ProjectRow]
    expect(await statisticsOf(full)).toMatchObject({
      ...{ storage_size: 67_321, repository_size: 1, wiki_size: 20, lfs_objects_size: 300 },
      ...{ snippets_size: 7000, uploads_size: 60_000, packages_size: 0 },
    })
    expect(await statisticsOf(empty)).toMatchObject({ storage_size: 0, repository_size: 0, lfs_objects_size: 0 })
    expect(await problems()).toEqual([])
    await write(async (tx) => {
      await setSize(tx, shared.id, 'project', 7)
      const snippetId = await newSnippet(tx, shared.id, 40)
      await newSnippet(tx, shared.id, 2)
      await newUploads(tx, [5, 6], shared.id)
      // What disappears with its snippet, and what is deleted itself.
      await tx.deleteFrom('snippets').where('id', '=', snippetId).execute()
      await tx.deleteFrom('uploads').where('project_id', '=', shared.id).where('size_bytes', '=', 5).execute()
      await tx.deleteFrom('lfs_objects_projects').where('project_id', '=', shared.id).execute()
    })
    expect(await statisticsOf(shared)).toMatchObject({
      ...{ storage_size: 15, repository_size: 7, lfs_objects_size: 0, snippets_size: 2, uploads_size: 6 },
    })
    expect(await problems()).toEqual([])
    const gone = await server.make.project('gone', owner)
    await write(async (tx) => {
      await setSize(tx, gone.id, 'project', 9)
      await newSnippet(tx, gone.id, 9)
      await newUploads(tx, [9], gone.id)
      await tx.deleteFrom('projects').where('id', '=', gone.id).execute()
    })
    const kept = await server.app.platform.database.read.selectFrom('project_sizes').select('project_id').execute()
    expect(kept.map(({ project_id: id }) => id).sort()).toEqual(projects.map(({ id }) => id).sort())
  })

  test('order lists by what they show', async () => {
    for (const order of ['storage_size', 'repository_size', 'wiki_size'] as const) {
      for (const sort of ['asc', 'desc'] as const) {
        const { body } = await server.root.get(`/projects?statistics=true&order_by=${order}&sort=${sort}`)
        const shown = body.map((one: { id: number; statistics: Record<string, number> }) => [
          one.statistics[order],
          one.id,
        ])
        const towards = sort === 'asc' ? 1 : -1
        expect(shown).toEqual(
          shown.toSorted(
            (a: number[], b: number[]) => towards * ((a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0)),
          ),
        )
        expect(shown).toHaveLength(projects.length)
      }
    }
  })

  test('are compared by `fennec check` with the sums', async () => {
    const [empty, full] = projects as [ProjectRow, ProjectRow]
    await write(async (tx) => {
      await tx.updateTable('project_sizes').set({ wiki_bytes: 21 }).where('project_id', '=', full.id).execute()
      await tx.deleteFrom('project_sizes').where('project_id', '=', empty.id).execute()
    })
    expect(await problems()).toEqual([
      ...['lfs_bytes', 'package_bytes', 'repository_bytes', 'snippet_bytes', 'upload_bytes', 'wiki_bytes'].map(
        (name) => `project ${empty.id}: its ${name} are unknown, not 0`,
      ),
      `project ${full.id}: its wiki_bytes are 21, not 20`,
    ])
  })

  test('are counted for two writers at once', async () => {
    const { id } = await server.make.project('busy', owner)
    await Promise.all([1, 2, 3, 4, 5, 6].map((bytes) => write((tx) => newUploads(tx, [bytes], id))))
    const { rows } = await sql<{ bytes: number }>`select upload_bytes as bytes from project_sizes
      where project_id = ${id}`.execute(server.app.platform.database.read as never)
    expect(rows).toEqual([{ bytes: 21 }])
  })
})
