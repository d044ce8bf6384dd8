import { holdName, type Tx } from '../../infra/database/index.ts'
import { isZeroOid, type Oid, type Repository, tagName } from '../../infra/git/index.ts'
import type { AppliedChange, RefListener } from '../repositories/index.ts'
import { deleteReleasesOnTags, moveReleases } from './store.ts'

/** Tags of tags of tags: nobody makes more on purpose. */
const deepest = 10

/** Waits until nobody else makes or removes releases of the project by their tags, and keeps others waiting. */
export async function holdReleases(tx: Tx, projectId: number): Promise<void> {
  await holdName(tx, `releases:${projectId}`)
}

/** The commits that these objects lead to, through tag objects; what leads to none is absent. */
async function commitsBehind(repository: Repository, oids: readonly Oid[]): Promise<Map<Oid, Oid>> {
  const found = new Map<Oid, Oid>()
  let at = new Map(oids.map((oid) => [oid, oid]))
  for (let depth = 0; depth <= deepest && at.size > 0; depth += 1) {
    const commits = await repository.commits([...at.values()])
    for (const [oid, reached] of at) if (commits.has(reached)) found.set(oid, reached)
    const rest = [...at].filter(([oid]) => !found.has(oid))
    const objects = await repository.tagObjects(rest.map(([, reached]) => reached))
    at = new Map(
      rest.flatMap(([oid, reached]): [Oid, Oid][] => {
        const target = objects.get(reached)?.target
        return target ? [[oid, target]] : []
      }),
    )
  }
  return found
}

/** Lets releases follow their tags, however these are changed: one goes with its tag, and moves with it. */
export const releaseListener: RefListener = {
  async prepare({ row, repository, changes }: AppliedChange) {
    const { project_id: projectId, kind } = row
    const ofTags = changes.flatMap((change) => {
      const tag = tagName(change.ref)
      return tag === null ? [] : [{ ...change, tag }]
    })
    if (projectId === null || kind !== 'project' || ofTags.length === 0) return async () => {}
    const deleted = ofTags.filter((change) => isZeroOid(change.new)).map(({ tag }) => tag)
    const moved = ofTags.filter((change) => !isZeroOid(change.new) && !isZeroOid(change.old))
    const commits = await commitsBehind(
      repository,
      moved.map((change) => change.new),
    )
    return async (tx) => {
      if (deleted.length + moved.length === 0) return
      await holdReleases(tx, projectId)
      if (deleted.length > 0) await deleteReleasesOnTags(tx, projectId, deleted)
      const places = moved.map((change) => ({ tag: change.tag, sha: commits.get(change.new) ?? null }))
      await moveReleases(tx, projectId, places)
    }
  },
}
