import { createHash } from 'node:crypto'
import { now } from '../../../infra/database/index.ts'
import type { TestServer } from '../../../testing/index.ts'

export const digestOf = (content: string | Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`

type ImageRows = {
  /** Sizes of layers by their content. */
  layers?: Record<string, number>
  /** Ids of the manifests of an index. */
  children?: readonly number[]
  tags?: readonly string[]
  imageCreatedAt?: string | null
}

/** Makes rows of repositories and images without content, for tests that are about something else. */
export function imageRowsOf({ app }: TestServer) {
  const { database, clock } = app.platform
  const moment = () => now(clock)

  async function repository(project: { id: number; full_path: string }, name = ''): Promise<number> {
    const path = `${project.full_path}${name && `/${name}`}`.toLowerCase()
    const row = { project_id: project.id, name, path, created_at: moment() }
    const query = database.write((tx) =>
      tx.insertInto('registry_repositories').values(row).returning('id').executeTakeFirstOrThrow(),
    )
    return (await query).id
  }

  async function blob(repositoryId: number, content: string, sizeBytes: number): Promise<number> {
    const row = { digest: digestOf(content), size_bytes: sizeBytes, used_at: moment(), created_at: moment() }
    return database.write(async (tx) => {
      const { id } = await tx
        .insertInto('registry_blobs')
        .values(row)
        .onConflict((conflict) => conflict.column('digest').doUpdateSet({ used_at: row.used_at }))
        .returning('id')
        .executeTakeFirstOrThrow()
      const link = { repository_id: repositoryId, blob_id: id, used_at: row.used_at }
      await tx
        .insertInto('registry_blob_links')
        .values(link)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      return id
    })
  }

  async function tag(repositoryId: number, manifestId: number, names: readonly string[]): Promise<void> {
    const dates = { created_at: moment(), updated_at: moment() }
    const rows = names.map((name) => ({ repository_id: repositoryId, name, manifest_id: manifestId, ...dates }))
    await database.write(async (tx) => {
      for (let start = 0; start < rows.length; start += 1000) {
        await tx
          .insertInto('registry_tags')
          .values(rows.slice(start, start + 1000))
          .execute()
      }
    })
  }

  /** An image, or an index when it has children. @returns the id of its manifest */
  async function image(repositoryId: number, content: string, rows: ImageRows = {}): Promise<number> {
    const { layers = {}, children = [], tags = [], imageCreatedAt = null } = rows
    const blobIds: number[] = []
    for (const [layer, sizeBytes] of Object.entries(layers)) blobIds.push(await blob(repositoryId, layer, sizeBytes))
    const isIndex = children.length > 0
    const manifest = {
      repository_id: repositoryId,
      digest: digestOf(content),
      media_type: `application/vnd.oci.image.${isIndex ? 'index' : 'manifest'}.v1+json`,
      size_bytes: content.length,
      config_digest: isIndex ? null : digestOf(`config of ${content}`),
      artifact_type: null,
      subject_digest: null,
      annotations: null,
      layers_size_bytes: Object.values(layers).reduce((sum, size) => sum + size, 0),
      image_created_at: imageCreatedAt,
      used_at: moment(),
      created_at: moment(),
    }
    const id = await database.write(async (tx) => {
      const inserted = await tx
        .insertInto('registry_manifests')
        .values(manifest)
        .returning('id')
        .executeTakeFirstOrThrow()
      await tx.insertInto('registry_manifest_payloads').values({ manifest_id: inserted.id, payload: content }).execute()
      for (const blob_id of blobIds) {
        const row = { manifest_id: inserted.id, repository_id: repositoryId, blob_id, is_layer: true }
        await tx.insertInto('registry_manifest_blobs').values(row).execute()
      }
      for (const child_id of children) {
        await tx.insertInto('registry_manifest_children').values({ manifest_id: inserted.id, child_id }).execute()
      }
      return inserted.id
    })
    await tag(repositoryId, id, tags)
    return id
  }

  return { repository, image, tag }
}
