import { type Insertable, sql } from 'kysely'
import { portionsOf, type Tables, type Tx } from '../../../infra/database/index.ts'
import type { PackagesTable } from '../tables.ts'
import { people, server } from '../testing.ts'

type Table = 'packages' | 'package_files' | 'package_names' | 'package_npm_manifests' | 'package_tags'

const moment = '2026-01-02T03:04:05.678Z'

async function insert<Name extends Table>(tx: Tx, table: Name, all: readonly Insertable<Tables[Name]>[]) {
  for (const rows of portionsOf(all, 500))
    await tx
      .insertInto(table)
      .values(rows as never)
      .execute()
}

/** Bytes that all files of a test share. */
async function sharedBlob(tx: Tx): Promise<number> {
  const known = await tx.selectFrom('package_blobs').select('id').executeTakeFirst()
  if (known) return known.id
  const digests = { sha256: 'a'.repeat(64), sha1: 'b'.repeat(40), md5: 'c'.repeat(32), sha512: 'd'.repeat(128) }
  const row = { ...digests, size_bytes: 1, storage_key: 'packages/aa/bb/shared', created_at: moment }
  return (await tx.insertInto('package_blobs').values(row).returning('id').executeTakeFirstOrThrow()).id
}

/** A package to be made: its name and version. */
type Made = readonly [name: string, version: string]

/** Makes packages of a format in a project by rows, each with a file. @returns their ids */
export async function makePackages(
  projectId: number,
  type: 'npm' | 'pypi' | 'generic',
  made: readonly Made[],
): Promise<number[]> {
  const common = { project_id: projectId, package_type: type }
  const times = { created_at: moment, updated_at: moment }
  return server.app.platform.database.write(async (tx) => {
    const blob_id = await sharedBlob(tx)
    const { last } = await tx
      .selectFrom('packages')
      .select(sql<number>`coalesce(max(id), 0)`.as('last'))
      .executeTakeFirstOrThrow()
    const rows: (Insertable<PackagesTable> & { id: number })[] = made.map(([name, version], index) => ({
      ...{ id: Number(last) + 1 + index, ...common, name, name_key: name, version },
      ...{ creator_id: people.developer.id, ...times },
    }))
    await insert(tx, 'packages', rows)
    await insert(
      tx,
      'package_files',
      rows.map(({ id, name, version }) => ({
        ...{ package_id: id, blob_id, file_name: `${name}-${version}.tgz`, created_at: moment },
      })),
    )
    if (type === 'npm') {
      const manifest = JSON.stringify({ main: 'index.js', dependencies: { other: '^1.0.0' } })
      const manifests = rows.map(({ id }) => ({ package_id: id, manifest }))
      await insert(tx, 'package_npm_manifests', manifests)
    }
    const names = [...new Set(made.map(([name]) => name))]
    const named = names.map((name) => ({ ...common, name_key: name, generation: 1 }))
    await insert(tx, 'package_names', named)
    if (tx.engine === 'postgres') {
      await sql`select setval(pg_get_serial_sequence('packages', 'id'), (select max(id) from packages))`.execute(
        tx as never,
      )
    }
    return rows.map(({ id }) => id)
  })
}

/** Makes dist-tags of npm by rows. */
export async function makeTags(
  projectId: number,
  name: string,
  made: readonly (readonly [tag: string, packageId: number])[],
): Promise<void> {
  const row = { project_id: projectId, package_name: name, created_at: moment, updated_at: moment }
  const rows = made.map(([tag, package_id]) => ({ ...row, name: tag, package_id }))
  await server.app.platform.database.write((tx) => insert(tx, 'package_tags', rows))
}
