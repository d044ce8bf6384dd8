import { type Reader, within } from '../../../infra/database/index.ts'
import type { Digest } from '../blobs/digest.ts'
import { linkedBlob } from '../blobs/store.ts'
import { manifestByDigest, payloadOf } from '../manifests/store/manifests.ts'
import { repositoryPath } from '../repositories/names.ts'
import { tagDetailsAfter } from '../tags/store.ts'

const portion = 500

/** A container repository with its current path; null when there is none, or its project was deleted. */
export async function containerRepository(
  db: Reader,
  id: number,
): Promise<{ id: number; project_id: number; path: string } | null> {
  const row = await db
    .selectFrom('registry_repositories as r')
    .innerJoin('projects as p', 'p.id', 'r.project_id')
    .select(['r.id', 'r.name', 'p.id as project_id', 'p.full_path'])
    .where('r.id', '=', id)
    .executeTakeFirst()
  return row ? { id: row.id, project_id: row.project_id, path: repositoryPath(row, row.name) } : null
}

/** All tags of a repository with the digests of their manifests, in byte order of the name. */
export async function* tagsOf(db: Reader, repositoryId: number): AsyncGenerator<{ name: string; digest: string }> {
  let last: string | undefined
  for (;;) {
    const tags = await tagDetailsAfter(db, repositoryId, { last, limit: portion })
    for (const { name, digest } of tags) yield { name, digest }
    if (tags.length < portion) return
    last = tags.at(-1)?.name
  }
}

/** All manifests of a repository. */
export async function* manifestsOf(
  db: Reader,
  repositoryId: number,
): AsyncGenerator<{ digest: string; media_type: string; size: number }> {
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom('registry_manifests')
      .select(['id', 'digest', 'media_type', 'size_bytes as size'])
      .where('repository_id', '=', repositoryId)
      .where('id', '>', last)
      .orderBy('id')
      .limit(portion)
      .execute()
    for (const { id, ...manifest } of rows) yield manifest
    if (rows.length < portion) return
    last = rows.at(-1)?.id ?? 0
  }
}

/** The blobs that manifests of a repository need, each once. */
export async function* blobsOf(db: Reader, repositoryId: number): AsyncGenerator<{ digest: string; size: number }> {
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom('registry_manifest_blobs as m')
      .innerJoin('registry_blobs as b', 'b.id', 'm.blob_id')
      .select(['b.id', 'b.digest', 'b.size_bytes as size'])
      .where('m.repository_id', '=', repositoryId)
      .where('b.id', '>', last)
      .distinct()
      .orderBy('b.id')
      .limit(portion)
      .execute()
    for (const { id, ...blob } of rows) yield blob
    if (rows.length < portion) return
    last = rows.at(-1)?.id ?? 0
  }
}

/** The ids of the container repositories of projects. */
export async function containerRepositoriesOf(db: Reader, projectIds: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectFrom('registry_repositories')
    .select('id')
    .where(within(db, 'project_id', projectIds))
    .execute()
  return rows.map(({ id }) => id)
}

/** Whether a blob can be read in a repository. */
export async function repositoryHasBlob(db: Reader, repositoryId: number, digest: Digest): Promise<boolean> {
  return (await linkedBlob(db, repositoryId, digest)) !== null
}

/** The text of a manifest of a repository; null when there is none. */
export async function manifestOf(db: Reader, repositoryId: number, digest: Digest): Promise<string | null> {
  const found = await manifestByDigest(db, repositoryId, digest)
  return found && payloadOf(db, found.id)
}
